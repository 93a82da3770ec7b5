"""Matrices, rows and feed-forward blocks."""

from graph import Value
from scope import listed, operation

widths = [1, 4, 8, 12, 17, 20, 33]


@operation(4)
def linear(g):
    v = g.pick(lambda v: len(v.shape) >= 2 and v.last)
    n = g.random.choice([v.last] + widths)
    in_out = g.chance(0.3)
    operands = [v, g.weight(v.last, n) if in_out else g.weight(n, v.last)]
    if g.chance(0.5):
        operands.append(g.weight(n))
    clause = " in_out" if in_out else ""
    g.emit(f"sinter.linear {listed('a', operands)}{clause} : {listed('A', operands)}", operands, Value(v.shape[:-1] + (n,)))


@operation()
def matmul(g):
    v = g.sequence()
    if not v or g.ragged(v):
        return
    scores = Value((v.shape[0], v.shape[1], v.shape[1]))
    a = g.emit("sinter.matmul {a0}, {a1} transpose_rhs : {A0}, {A1}", [v, g.alike(v)], scores)
    a = g.emit("math.tanh {a0} : {A0}", [a], Value(scores.shape))
    g.emit("sinter.matmul {a0}, {a1} : {A0}, {A1}", [a, v], Value(v.shape))


@operation(2)
def norm(g):
    v = g.pick(lambda v: v.last > 1)
    if not v:
        return
    name, clauses, operands = g.random.choice(["rms_norm", "layer_norm"]), "", [v]
    if g.chance(0.7):
        operands.append(g.weight(v.last))
        if name == "layer_norm" and g.chance(0.5):
            operands.append(g.weight(v.last))
        if name == "rms_norm" and g.chance(0.3):
            clauses = " unit_offset"
    names, types = listed("a", operands), listed("A", operands)
    g.emit(f"sinter.{name} {names}{clauses} eps(1.0e-2) : {types}", operands, Value(v.shape))


@operation()
def softmax(g):
    v = g.pick(lambda v: v.shape)
    g.emit(f"sinter.{g.random.choice(['softmax', 'log_softmax'])} {{a0}} : {{A0}}", [v], Value(v.shape))


activations = ["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "identity", "quick_gelu", "relu_squared", "mish"]


@operation(2)
def feed_forward(g):
    """Plain and gated, the latter with gate and up apart or in one weight."""
    v = g.pick(lambda v: len(v.shape) >= 2 and v.last)
    n = g.random.choice(widths)
    in_out, biased = g.chance(0.25), g.chance(0.4)

    def matrix(rows, columns):
        weight = g.weight(columns, rows) if in_out else g.weight(rows, columns)
        return [weight] + ([g.weight(rows)] if biased else [])

    name, first = g.random.choice([("ffn", [n]), ("gated_ffn", [n, n]), ("gated_ffn", [2 * n])])
    operands = [v] + [w for rows in first for w in matrix(rows, v.last)] + matrix(v.last, n)
    clause = g.random.choice(activations) + (" in_out" if in_out else "")
    text = f"sinter.{name} {listed('a', operands)} {clause} : {listed('A', operands)}"
    g.emit(text, operands, Value(v.shape))


def split_heads(g, v, count):
    return g.emit(f"sinter.split_heads {{a0}} [{count}] : {{A0}}", [v], Value(v.shape[:-1] + (count, v.last // count)))


def project(g, v, n):
    return g.emit("sinter.linear {a0}, {a1} : {A0}, {A1}", [v, g.weight(n, v.last)], Value(v.shape[:-1] + (n,)))
