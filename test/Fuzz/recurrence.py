"""Recurrent layers and their cells."""

from graph import Value
from scope import listed, operation

# Gates, their orders, and clauses that only this layer has.
layers = {
    "rnn": (1, [""], ["", " activations(relu)", " activations(leaky_relu(0.1))"]),
    "gru": (3, [' gates("rzn")', ' gates("zrn")'], [" reset(after)", " reset(before)"]),
    "lstm": (4, ["", ' gates("iofg")'], [""]),
}


def operands_of(g, inputs, width, gates, units):
    operands = inputs + [g.weight(gates * units, width), g.weight(gates * units, units)]
    return operands + [g.weight(gates * units) for _ in range(g.random.choice([0, 1, 2]))]


def spell(name, operands, clauses):
    return f"sinter.{name} {listed('a', operands)}{clauses} : {listed('A', operands)}"


@operation(2)
def sequence_layer(g):
    v = g.sequence()
    if not v:
        return
    name = g.random.choice(list(layers))
    gates, orders, more = layers[name]
    units = g.random.choice([1, 7, 16, 20])
    operands = operands_of(g, [v], v.last, gates, units)
    clauses = g.random.choice(orders) + g.random.choice(more) + g.random.choice(["", " reverse", " clip(1.5)"])
    text = spell(name, operands, clauses)
    if g.lengths(v) and g.chance(0.7):
        n = len(operands)
        operands.append(g.lengths(v))
        text = text.replace(" : ", f" lengths({{a{n}}} : {{A{n}}}) : ", 1)
    states = [Value(("batch", units)) for _ in range(2 if name == "lstm" else 1)]
    g.emit(text, operands, Value(v.shape[:2] + (units,)), *states)


@operation()
def cell(g):
    v = g.pick(lambda v: len(v.shape) == 2 and v.shape[0] == "batch" and v.last)
    if not v:
        return
    name = g.random.choice(list(layers))
    gates, orders, more = layers[name]
    state = Value(v.shape)
    count = 2 if name == "lstm" else 1
    operands = operands_of(g, [v] + [v] * count, v.last, gates, v.last)
    text = spell(f"{name}_cell", operands, g.random.choice(orders) + g.random.choice(more))
    g.emit(text, operands, state, *[Value(v.shape) for _ in range(count - 1)])
