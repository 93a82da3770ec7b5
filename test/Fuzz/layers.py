"""Matrices, rows, attention and recurrent layers."""

from graph import Value
from scope import operation

widths = [1, 4, 8, 12, 17, 20, 33]


@operation(4)
def linear(g):
    v = g.pick(lambda v: len(v.shape) >= 2 and v.last)
    n = g.random.choice([v.last] + widths)
    in_out = g.chance(0.3)
    operands = [v, g.weight(v.last, n) if in_out else g.weight(n, v.last)]
    if g.chance(0.5):
        operands.append(g.weight(n))
    names = ", ".join(f"{{a{i}}}" for i in range(len(operands)))
    types = ", ".join(f"{{A{i}}}" for i in range(len(operands)))
    g.emit(f"sinter.linear {names}{' in_out' if in_out else ''} : {types}", operands, Value(v.shape[:-1] + (n,)))


@operation()
def matmul(g):
    v = g.sequence()
    if not v:
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
    name = g.random.choice(["rms_norm", "layer_norm"])
    g.emit(f"sinter.{name} {{a0}}, {{a1}} eps(1.0e-2) : {{A0}}, {{A1}}", [v, g.weight(v.last)], Value(v.shape))


@operation()
def softmax(g):
    v = g.pick(lambda v: v.shape)
    g.emit(f"sinter.{g.random.choice(['softmax', 'log_softmax'])} {{a0}} : {{A0}}", [v], Value(v.shape))


@operation()
def feed_forward(g):
    v = g.pick(lambda v: len(v.shape) >= 2 and v.last)
    n = g.random.choice(widths)
    name = g.random.choice(["relu", "gelu", "silu"])
    up, down = g.weight(n, v.last), g.weight(v.last, n)
    if g.chance(0.5):
        g.emit(f"sinter.ffn {{a0}}, {{a1}}, {{a2}} {name} : {{A0}}, {{A1}}, {{A2}}", [v, up, down], Value(v.shape))
    else:
        text = f"sinter.gated_ffn {{a0}}, {{a1}}, {{a2}}, {{a3}} {name} : {{A0}}, {{A1}}, {{A2}}, {{A3}}"
        g.emit(text, [v, up, g.weight(n, v.last), down], Value(v.shape))


def split_heads(g, v, count):
    return g.emit(f"sinter.split_heads {{a0}} [{count}] : {{A0}}", [v], Value(v.shape[:-1] + (count, v.last // count)))


@operation()
def rotate(g):
    v = g.sequence()
    if not v or v.last % 4:
        return
    at = g.emit("sinter.positions {a0} : {A0}", [v], Value(v.shape[:2], "i64"))
    h = split_heads(g, v, 2)
    style = g.random.choice(["", " interleaved"])
    h = g.emit(f"sinter.rope {{a0}}, {{a1}}{style} : {{A0}}, {{A1}}", [h, at], Value(h.shape))
    g.emit("sinter.merge_heads {a0} : {A0}", [h], Value(v.shape))


rules = [
    "", "", "",
    """
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {{
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }}""",
    """
      mask(%b: index, %h: index, %i: index, %j: index) {{
        %w = arith.constant 3 : index
        %d = arith.subi %i, %j : index
        %m = arith.cmpi sle, %d, %w : index
        sinter.yield %m : i1
      }}""",
    """
      mask(%b: index, %h: index, %i: index, %j: index) {{
        %w = arith.constant 2 : index
        %p = arith.remui %j, %w : index
        %q = arith.remui %h, %w : index
        %m = arith.cmpi eq, %p, %q : index
        sinter.yield %m : i1
      }}""",
]


def project(g, v, n):
    return g.emit("sinter.linear {a0}, {a1} : {A0}, {A1}", [v, g.weight(n, v.last)], Value(v.shape[:-1] + (n,)))


@operation(3)
def attention(g):
    v = g.sequence()
    w = g.sequence()
    if not v:
        return
    heads, groups = g.random.choice([(1, 1), (2, 2), (4, 2), (3, 1), (6, 3)])
    size, value = g.random.choice([1, 4, 7, 8, 16]), g.random.choice([1, 4, 5, 8, 16])
    q = split_heads(g, project(g, v, heads * size), heads)
    k = split_heads(g, project(g, w, groups * size), groups)
    u = split_heads(g, project(g, w, groups * value), groups)
    operands, text = [q, k, u], "sinter.attention {a0}, {a1}, {a2}"
    if g.chance(0.4):
        text += " causal"
    # Elements past a row's length are unspecified, so they must not count.
    if g.lengths(w):
        operands.append(g.lengths(w))
        text += " lengths({a3} : {A3})"
    text += " : {A0}, {A1}, {A2}" + g.random.choice(rules)
    y = g.emit(text, operands, Value(v.shape[:2] + (heads, value)))
    g.emit("sinter.merge_heads {a0} : {A0}", [y], Value(v.shape[:2] + (heads * value,)))


@operation()
def lstm(g):
    v = g.sequence()
    if not v:
        return
    units = g.random.choice([1, 7, 16, 20])
    operands = [v, g.weight(4 * units, v.last), g.weight(4 * units, units)]
    text, types = "sinter.lstm {a0}, {a1}, {a2}", "{A0}, {A1}, {A2}"
    if g.chance(0.5):
        operands.append(g.weight(4 * units))
        text, types = text + ", {a3}", types + ", {A3}"
    if g.lengths(v) and g.chance(0.7):
        n = len(operands)
        operands.append(g.lengths(v))
        text += f" lengths({{a{n}}} : {{A{n}}})"
    if g.chance(0.4):
        text += " reverse"
    last = Value(("batch", units))
    g.emit(f"{text} : {types}", operands, Value(v.shape[:2] + (units,)), last, Value(last.shape))


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
