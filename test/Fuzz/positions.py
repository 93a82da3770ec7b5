"""Positions, their encodings, and rows chosen by index."""

from graph import Argument, Value
from layers import split_heads
from scope import operation


def positions_of(g, v, clauses=""):
    return g.emit(f"sinter.positions {{a0}}{clauses} : {{A0}}", [v], Value(v.shape[:2], "i64"))


def factors(g, count):
    return "[" + ", ".join(f"{g.random.uniform(1, 4):.3}" for _ in range(count)) + "]"


def scaling(g, pairs):
    """A clause, and whether it depends on the lengths of rows."""
    length = g.random.choice([4, 8, 64])
    known = f"original_length = {length}"
    kinds = {
        "linear": "factor = 2.5",
        "yarn": f"factor = 4.0, {known}" + g.random.choice(["", ", truncate = false", ", attention_factor = 1.5",
                                                             ", mscale = 0.7, mscale_all_dim = 1.1"]),
        "llama3": f"factor = 8.0, {known}, low_freq_factor = 1.0, high_freq_factor = 4.0",
        "longrope": f"{known}, factor = 4.0, short_factor = {factors(g, pairs)}, long_factor = {factors(g, pairs)}",
    }
    if pairs > 1:
        kinds["dynamic"] = f"factor = 2.0, {known}"
    name = g.random.choice(sorted(kinds))
    return f" scaling<{name}, {kinds[name]}>", name in ("dynamic", "longrope")


@operation(2)
def rotate(g):
    v = g.sequence()
    heads = v and g.random.choice([n for n in (1, 2, 3) if v.last % n == 0])
    size = v and v.last // heads
    if not v or size < 2:
        return
    at = positions_of(g, v, g.random.choice(["", "", " offset(3)"]))
    h = split_heads(g, v, heads)
    columns = g.random.randrange(2, size + 1, 2)
    clauses = f" rotary({columns})" if columns < size or g.chance(0.3) else ""
    clauses += g.random.choice(["", " interleaved"]) + g.random.choice(["", " theta(5.0e5)", " theta(37.0)"])
    operands = [h, at]
    if g.chance(0.7):
        text, is_by_length = scaling(g, columns // 2)
        clauses += text
        if is_by_length and g.lengths(v):
            operands.append(g.lengths(v))
            clauses += " lengths({a2} : {A2})"
    h = g.emit(f"sinter.rope {{a0}}, {{a1}}{clauses} : {{A0}}, {{A1}}", operands, Value(h.shape))
    g.emit("sinter.merge_heads {a0} : {A0}", [h], Value(v.shape))


@operation()
def learned(g):
    """A table of positions; no sequence of dimensions() is longer than it."""
    v = g.sequence()
    if not v:
        return
    offset = g.random.choice([0, 2])
    at = positions_of(g, v, f" offset({offset})" if offset else "")
    table = g.weight(48 + offset, v.last)
    e = g.emit("sinter.embedding {a0}, {a1} : {A0}, {A1}", [at, table], Value(v.shape))
    g.emit("arith.addf {a0}, {a1} : {A0}", [v, e], Value(v.shape))


@operation()
def sinusoidal(g):
    v = g.sequence()
    if not v or v.last % 2:
        return
    at = positions_of(g, v)
    halves = g.random.choice(["", " halves"])
    e = g.emit(f"sinter.sinusoidal_positions {{a0}}{halves} : {{A0}} -> {{R0}}", [at], Value(v.shape))
    g.emit("arith.addf {a0}, {a1} : {A0}", [v, e], Value(v.shape))


@operation()
def take(g):
    """A position of each row that the caller gives."""
    v = g.sequence()
    if not v or g.ragged(v):
        return
    element = g.random.choice(["i32", "i64"])
    index = Value(("batch",), element)
    g.entry.arguments.append(Argument(f"{g.entry.name}_at{len(g.entry.arguments)}", index))
    g.emit("sinter.take {a0} at({a1} : {A1}) : {A0}", [v, index], Value((v.shape[0], v.last)))


@operation()
def embed(g):
    """Tokens of the caller, of a table of their own."""
    ids = Value(("batch", g.random.choice(["sequence", "other"])), g.random.choice(["i32", "i64"]))
    g.entry.arguments.append(Argument(f"{g.entry.name}_ids{len(g.entry.arguments)}", ids))
    width = g.random.choice([4, 8, 17])
    g.emit("sinter.embedding {a0}, {a1} : {A0}, {A1}", [ids, g.weight(11, width)], Value(ids.shape + (width,)))
