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
def memory(g):
    """A tensor state of dynamic extents: written as it is, read as the last call left it."""
    v = g.pick(lambda v: len(v.shape) == 3 and v.shape[:2] in (("batch", "sequence"), ("batch", "other")) and v.last == 8)
    used = "".join(op.text for op in g.entry.ops)
    if not v or g.ragged(v) or "@memory" in used:
        return
    g.module.states["memory"] = 'sinter.state @memory dims ["batch", "memory"] : tensor<?x?x8xf32>'
    if g.chance(0.6):
        g.emit("sinter.write @memory, {a0} : {A0}", [v], effect=True)
        return
    old = g.emit("sinter.read @memory : {R0}", [], Value(("batch", "memory", 8)))
    g.hide(old)
    heads = [split_heads(g, x, 2) for x in (v, old)]
    y = g.emit("sinter.attention {a0}, {a1}, {a1} : {A0}, {A1}, {A1}", heads, Value(v.shape[:2] + (2, 4)))
    g.hide(heads[1])
    g.emit("sinter.merge_heads {a0} : {A0}", [y], Value(v.shape))


declared = {
    "kv": 'sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 4, f32>',
    "cross": 'sinter.state @cross dims ["batch", "source"] : !sinter.cache<heads = 2, key = 8, value = 4, f32>',
}


def cache(g):
    """One of two, each with a cursor of its own, that this entry does not use yet."""
    used = "".join(op.text for op in g.entry.ops)
    free = [name for name in sorted(declared) if f"@{name})" not in used and f"@{name}," not in used]
    free = [name for name in free if f'restart "{"context" if name == "kv" else "source"}"' not in used]
    if not free:
        return None
    name = g.random.choice(free)
    g.module.states[name] = declared[name]
    return name


def lengths_clause(g, v, operands, text):
    if not g.lengths(v):
        return text
    operands.append(g.lengths(v))
    n = len(operands) - 1
    return text + f" lengths({{a{n}}} : {{A{n}}})"


@operation(2)
def cached_attention(g):
    v = g.pick(lambda v: len(v.shape) == 3 and v.shape[:2] == ("batch", "sequence") and v.last)
    name = v and cache(g)
    if not name:
        return
    k, u = split_heads(g, project(g, v, 16), 2), split_heads(g, project(g, v, 8), 2)
    if g.chance(0.25):
        operands = [k, u]
        text = lengths_clause(g, v, operands, f"sinter.fill @{name}, {{a0}}, {{a1}}")
        g.emit(text + " : {A0}, {A1}", operands, effect=True)
        return
    q = split_heads(g, project(g, v, 32), 4)
    rules = g.random.choice(["", " causal", " causal", " causal window(9, ?)"]) + g.random.choice(["", " softcap(3.0)"])
    result = Value(v.shape[:2] + (4, 4))
    lse = [Value(v.shape[:2] + (4,))] if g.chance(0.2) else []
    rules += " lse" if lse else ""
    if g.chance(0.4):
        y = g.emit(f"sinter.attention {{a0}} from(@{name}){rules} : {{A0}} -> {{R0}}", [q], result, *lse)
    else:
        operands = [q, k, u]
        text = lengths_clause(g, v, operands, f"sinter.attention {{a0}}, {{a1}}, {{a2}}{rules} append(@{name})")
        y = g.emit(text + " : {A0}, {A1}, {A2}", operands, result, *lse)
    g.hide(*lse)
    g.outputs += lse
    g.emit("sinter.merge_heads {a0} : {A0}", [result], Value(v.shape[:2] + (16,)))


@operation()
def restart(g):
    """Sets a cursor to 0 that the entry does not move otherwise."""
    name = cache(g)
    if name:
        # The comment makes the module print the cache.
        g.emit(f'sinter.restart "{"context" if name == "kv" else "source"}"  // @{name}', [], effect=True)
