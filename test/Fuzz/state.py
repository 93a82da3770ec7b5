"""State that entries and calls share."""

from graph import Value
from layers import project, split_heads
from scope import operation


@operation()
def tensor_state(g):
    """Reads what an earlier call left and leaves something else; one write per entry and state."""
    v = g.pick(lambda v: len(v.shape) == 2 and v.shape[0] == "batch" and v.last)
    if not v:
        return
    name = f"row{v.last}"
    if f"@{name}," in "".join(op.text for op in g.entry.ops):
        return
    g.module.states[name] = f'sinter.state @{name} dims ["batch"] : {v.type}'
    old = g.emit(f"sinter.read @{name} : {{R0}}", [], Value(v.shape))
    new = g.emit("arith.addf {a0}, {a1} : {A0}", [old, v], Value(v.shape))
    new = g.emit("math.tanh {a0} : {A0}", [new], Value(v.shape))
    g.emit(f"sinter.write @{name}, {{a0}} : {{A0}}", [new], effect=True)


@operation()
def cached_attention(g):
    v = g.pick(lambda v: len(v.shape) == 3 and v.shape[:2] == ("batch", "sequence") and v.last)
    if not v or any("append(" in op.text for op in g.entry.ops):
        return
    g.module.states["kv"] = ('sinter.state @kv dims ["batch", "context"] : '
                             "!sinter.cache<heads = 2, key = 8, value = 4, f32>")
    q = split_heads(g, project(g, v, 32), 4)
    k, u = split_heads(g, project(g, v, 16), 2), split_heads(g, project(g, v, 8), 2)
    operands, text = [q, k, u], "sinter.attention {a0}, {a1}, {a2} causal append(@kv)"
    if g.lengths(v):
        operands.append(g.lengths(v))
        text += " lengths({a3} : {A3})"
    y = g.emit(text + " : {A0}, {A1}, {A2}", operands, Value(v.shape[:2] + (4, 4)))
    g.emit("sinter.merge_heads {a0} : {A0}", [y], Value(v.shape[:2] + (16,)))
