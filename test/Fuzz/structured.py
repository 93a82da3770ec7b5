"""Upstream's structured operations: convolution, pooling, sums, pad and generate."""

from graph import Value
from scope import operation, times


def extent(g, v, dim):
    number = g.constant(str(dim), "index")
    return g.emit("tensor.dim {a0}, {a1} : {A0}", [v, number], Value((), text="index"))


def dense(name, value):
    return f"{name} = dense<{value}> : tensor<1xi64>"


def filled(g, number, shape, like):
    """A tensor of one number, whose dynamic extents are those of `like`."""
    extents = [extent(g, like, d) for d, n in enumerate(shape) if isinstance(n, str)]
    names = ", ".join(f"{{a{i + 1}}}" for i in range(len(extents)))
    result = g.emit(f"tensor.splat {{a0}}[{names}] : {{R0}}", [g.constant(number, "f32"), *extents], Value(shape))
    g.hide(result)
    return result


def windows(g, length):
    """A filter's size, stride, dilation and how many places it has in that length."""
    size, stride, dilation = g.random.choice([1, 2, 3]), g.random.choice([1, 2]), g.random.choice([1, 1, 2])
    places = (length - (size - 1) * dilation - 1) // stride + 1
    return size, stride, dilation, places


def spans(g):
    """A value [batch, channels, length] of constant extents, cut from the columns of another."""
    v = g.pick(lambda v: len(v.shape) == 2 and v.shape[0] == "batch" and v.last >= 8 and v.last % 2 == 0)
    if not v:
        return None
    return g.emit("sinter.split_heads {a0} [2] : {A0}", [v], Value(("batch", 2, v.last // 2)))


@operation()
def convolution(g):
    v = spans(g)
    if not v:
        return
    size, stride, dilation, places = windows(g, v.last)
    if places < 1:
        return
    channels = g.random.choice([1, 3, 8])
    start = filled(g, "0.0", ("batch", channels, places), v)
    attributes = ", ".join([dense("dilations", dilation), dense("strides", stride)])
    g.emit(f"linalg.conv_1d_ncw_fcw {{{{{attributes}}}}} ins({{a0}}, {{a1}} : {{A0}}, {{A1}}) outs({{a2}} : {{A2}}) -> {{R0}}",
           [v, g.weight(channels, 2, size), start], Value(start.shape))


@operation()
def convolution_over_time(g):
    """As long as its input, by a border of zeros."""
    v = g.sequence()
    if not v or g.ragged(v):
        return
    turned = g.emit("sinter.transpose {a0} [0, 2, 1] : {A0}", [v], Value((v.shape[0], v.last, v.shape[1])))
    size = g.random.choice([1, 3])
    if size > 1:
        zero = g.constant("0.0", "f32")
        side = size // 2
        # A padded extent has no name, so nothing else may use it.
        turned = g.emit(f"tensor.pad {{a0}} low[0, 0, {side}] high[0, 0, {side}] {{{{ ^bb0(%i: index, %j: index, %k: index):\n"
                        "      tensor.yield {a1} : f32 }} : {A0} to {A0}", [turned, zero], Value(turned.shape))
        g.hide(turned)
    channels = g.random.choice([1, 4, 17])
    shape = (v.shape[0], channels, v.shape[1])
    start = g.emit("tensor.splat {a0}[{a1}, {a2}] : {R0}", [g.constant("0.0", "f32"), extent(g, v, 0), extent(g, v, 1)], Value(shape))
    g.hide(start)
    y = g.emit("linalg.conv_1d_ncw_fcw ins({a0}, {a1} : {A0}, {A1}) outs({a2} : {A2}) -> {R0}",
               [turned, g.weight(channels, v.last, size), start], Value(shape))
    g.emit("sinter.transpose {a0} [0, 2, 1] : {A0}", [y], Value((v.shape[0], v.shape[1], channels)))


@operation()
def pooling(g):
    v = spans(g)
    if not v:
        return
    size, stride, dilation, places = windows(g, v.last)
    if places < 1:
        return
    kind, number = g.random.choice([("max", "0xFF800000"), ("sum", "0.0")])
    start = filled(g, number, ("batch", 2, places), v)
    window = g.emit("tensor.empty() : {R0}", [], Value((size,)))
    g.hide(window)
    attributes = ", ".join([dense("dilations", dilation), dense("strides", stride)])
    g.emit(f"linalg.pooling_ncw_{kind} {{{{{attributes}}}}} ins({{a0}}, {{a1}} : {{A0}}, {{A1}}) outs({{a2}} : {{A2}}) -> {{R0}}",
           [v, window, start], Value(start.shape))


@operation()
def total(g):
    """Sums or the largest over time, or over columns."""
    v = g.sequence()
    if not v or g.ragged(v):
        return
    dim = g.random.choice([1, 2])
    kind, number = g.random.choice([("addf", "0.0"), ("maximumf", "0xFF800000"), ("minimumf", "0x7F800000"), ("mulf", "1.0")])
    shape = tuple(n for d, n in enumerate(v.shape) if d != dim)
    small = g.emit("math.tanh {a0} : {A0}", [v], Value(v.shape))
    start = filled(g, number, shape, v)
    g.emit(f"linalg.reduce {{{{ arith.{kind} }}}} ins({{a0}} : {{A0}}) outs({{a1}} : {{A1}}) dimensions = [{dim}]",
           [small, start], Value(shape))


@operation()
def pad(g):
    """Columns before and behind."""
    v = g.pick(lambda v: len(v.shape) in (2, 3) and 0 < v.last < 40)
    if not v:
        return
    low, high = g.random.randrange(0, 4), g.random.randrange(0, 4)
    number = g.constant(g.random.choice(["0.0", "-1.5"]), "f32")
    zeros = "0, " * (len(v.shape) - 1)
    indices = ", ".join(f"%i{d}: index" for d in range(len(v.shape)))
    g.emit(f"tensor.pad {{a0}} low[{zeros}{low}] high[{zeros}{high}] {{{{ ^bb0({indices}):\n"
           "      tensor.yield {a1} : f32 }} : {A0} to {R0}", [v, number], Value(v.shape[:-1] + (low + v.last + high,)))


@operation()
def generate(g):
    """The columns of another value in another order."""
    v = g.pick(lambda v: len(v.shape) == 2 and v.shape[0] == "batch" and v.last)
    if not v:
        return
    columns = g.random.choice([1, 5, v.last, 2 * v.last])
    count, by = g.constant(str(v.last), "index"), g.constant(str(g.random.choice([1, 3])), "index")
    g.emit("tensor.generate {a1} {{\n    ^bb0(%i: index, %j: index):\n"
           "      %m = arith.muli %j, {a3} : index\n      %k = arith.remui %m, {a2} : index\n"
           "      %s = tensor.extract {a0}[%i, %k] : {A0}\n      tensor.yield %s : f32\n    }} : {R0}",
           [v, extent(g, v, 0), count, by], Value(("batch", columns)))


@operation()
def argmax(g):
    """Rows of a table at the places of the largest columns: a greedy step."""
    v = g.pick(lambda v: len(v.shape) in (2, 3) and v.shape[0] == "batch" and 0 < v.last)
    if not v or any(isinstance(n, str) and n not in ("batch",) + times for n in v.shape) or g.ragged(v):
        return
    outer = v.shape[:-1]
    extents = [extent(g, v, d) for d, n in enumerate(outer) if isinstance(n, str)]
    names = ", ".join(f"{{a{i + 1}}}" for i in range(len(extents)))
    largest = g.emit(f"tensor.splat {{a0}}[{names}] : {{R0}}", [g.constant("0xFF800000", "f32"), *extents], Value(outer))
    g.hide(largest)
    places = g.emit(f"tensor.splat {{a0}}[{names}] : {{R0}}", [g.constant("0", "i64"), *extents], Value(outer, "i64"))
    dims = ", ".join(f"d{i}" for i in range(len(v.shape)))
    rest = ", ".join(f"d{i}" for i in range(len(outer)))
    kept = f"affine_map<({dims}) -> ({rest})>"
    kinds = ", ".join(['"parallel"'] * len(outer) + ['"reduction"'])
    _, at = g.emit(f"linalg.generic {{{{indexing_maps = [affine_map<({dims}) -> ({dims})>, {kept}, {kept}], iterator_types = [{kinds}]}}}}\n"
                   "        ins({a0} : {A0}) outs({a1}, {a2} : {A1}, {A2}) {{\n    ^bb0(%a: f32, %max: f32, %place: i64):\n"
                   f"      %c = linalg.index {len(outer)} : index\n      %k = arith.index_cast %c : index to i64\n"
                   "      %p = arith.cmpf ogt, %a, %max : f32\n      %m = arith.select %p, %a, %max : f32\n"
                   "      %q = arith.select %p, %k, %place : i64\n      linalg.yield %m, %q : f32, i64 }} -> ({R0}, {R1})",
                   [v, largest, places], Value(outer), Value(outer, "i64"))
    table = g.weight(v.last, g.random.choice([4, 8, 17]))
    g.emit("sinter.embedding {a0}, {a1} : {A0}, {A1}", [at, table], Value(outer + (table.last,)))
