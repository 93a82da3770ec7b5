"""Element-wise operations, shapes and copies."""

from graph import Value
from scope import operation

unary = ["math.tanh {a0} : {A0}", "math.absf {a0} : {A0}", "arith.negf {a0} : {A0}", "math.sin {a0} : {A0}",
         "sinter.silu {a0} : {A0}", "sinter.relu {a0} : {A0}", "sinter.sigmoid {a0} : {A0}", "sinter.gelu {a0} : {A0}",
         "sinter.gelu {a0} tanh : {A0}"]


@operation(4)
def map_one(g):
    v = g.pick()
    g.emit(g.random.choice(unary), [v], Value(v.shape))


@operation()
def exponential(g):
    v = g.pick()
    small = g.emit("math.tanh {a0} : {A0}", [v], Value(v.shape))
    g.emit("math.exp {a0} : {A0}", [small], Value(v.shape))


@operation(4)
def map_two(g):
    v = g.pick()
    name = g.random.choice(["addf", "mulf", "subf", "maximumf", "minimumf"])
    g.emit(f"arith.{name} {{a0}}, {{a1}} : {{A0}}", [v, g.alike(v)], Value(v.shape))


@operation()
def select(g):
    v = g.pick()
    w = g.alike(v)
    greater = g.emit("arith.cmpf ogt, {a0}, {a1} : {A0}", [v, w], Value(v.shape, "i1"))
    g.emit("arith.select {a0}, {a1}, {a2} : {A0}, {A1}", [greater, v, w], Value(v.shape))


@operation(2)
def broadcast(g):
    v = g.pick(lambda v: v.shape)
    if v.last and g.chance(0.6):
        g.emit("sinter.broadcast {a0} like({a1}) : {A0}, {A1}", [g.weight(v.last), v], Value(v.shape))
        return
    number = g.constant(g.random.choice(["0.5", "-1.25", "2.0", "0.0"]), "f32")
    g.spread(number, v)


@operation()
def transpose(g):
    v = g.pick(lambda v: len(v.shape) in (3, 4) and not g.ragged(v))
    if not v:
        return
    order = list(range(len(v.shape)))
    g.random.shuffle(order)
    g.emit(f"sinter.transpose {{a0}} {order} : {{A0}}", [v], Value(tuple(v.shape[i] for i in order)))


@operation()
def split(g):
    v = g.pick(lambda v: v.last > 1)
    if not v:
        return
    first = g.random.randrange(1, v.last)
    parts = [Value(v.shape[:-1] + (n,)) for n in (first, v.last - first)]
    g.emit(f"sinter.split {{a0}} [{first}, {v.last - first}] : {{A0}}", [v], *parts)


@operation()
def concat(g):
    v = g.pick(lambda v: 0 < v.last < 40)
    w = v and g.pick(lambda w: w.last and w.last < 40 and w.shape[:-1] == v.shape[:-1])
    if not w:
        return
    result = Value(v.shape[:-1] + (v.last + w.last,))
    g.emit(f"tensor.concat dim({len(v.shape) - 1}) {{a0}}, {{a1}} : ({{A0}}, {{A1}}) -> {{R0}}", [v, w], result)


@operation()
def heads(g):
    v = g.pick(lambda v: len(v.shape) == 3 and v.last and v.last % 2 == 0)
    if not v:
        return
    parts = Value(v.shape[:-1] + (2, v.last // 2))
    h = g.emit("sinter.split_heads {a0} [2] : {A0}", [v], parts)
    if g.chance(0.5):
        h = g.emit(g.random.choice(unary), [h], Value(parts.shape))
    g.emit("sinter.merge_heads {a0} : {A0}", [h], Value(v.shape))


@operation()
def last(g):
    v = g.sequence()
    if not v:
        return
    result = Value((v.shape[0], v.last))
    if g.lengths(v):
        g.emit("sinter.last {a0} lengths({a1} : {A1}) : {A0}", [v, g.lengths(v)], result)
    else:
        g.emit("sinter.last {a0} : {A0}", [v], result)


@operation()
def columns(g):
    """A slice of the innermost dimension."""
    v = g.sequence()
    if not v or v.last < 4:
        return
    first = g.random.randrange(0, 3)
    count = g.random.randrange(1, v.last - first)
    zero, one = g.constant("0", "index"), g.constant("1", "index")
    extents = [g.emit("tensor.dim {a0}, {a1} : {A0}", [v, d], Value((), text="index")) for d in (zero, one)]
    text = f"tensor.extract_slice {{a0}}[0, 0, {first}] [{{a1}}, {{a2}}, {count}] [1, 1, 1] : {{A0}} to {{R0}}"
    g.emit(text, [v, *extents], Value(v.shape[:-1] + (count,)))
