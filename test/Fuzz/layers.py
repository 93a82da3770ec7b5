"""Matrices, rows and positions."""

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


def project(g, v, n):
    return g.emit("sinter.linear {a0}, {a1} : {A0}, {A1}", [v, g.weight(n, v.last)], Value(v.shape[:-1] + (n,)))


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
