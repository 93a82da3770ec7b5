"""Attention with its clauses and rules."""

from graph import Argument, Value
from layers import project, split_heads
from scope import operation, times

place = "%b: index, %h: index, %i: index, %j: index"


def region(head, *lines):
    return f"\n      {head} {{{{\n" + "".join(f"        {line}\n" for line in lines) + "      }}"


def score_rule(*lines):
    """A rule that makes %r of the score %s."""
    return region(f"score(%s: f32, {place})", *lines, "sinter.yield %r : f32")


def mask_rule(*lines):
    """A rule that makes %m, whether a query sees a key."""
    return region(f"mask({place})", *lines, "sinter.yield %m : i1")


score = score_rule("%m = math.absf %s : f32", "%r = arith.mulf %s, %m : f32")
near = mask_rule("%w = arith.constant 3 : index", "%d = arith.subi %i, %j : index",
                 "%m = arith.cmpi sle, %d, %w : index")
stripes = mask_rule("%w = arith.constant 2 : index", "%p = arith.remui %j, %w : index",
                    "%q = arith.remui %h, %w : index", "%m = arith.cmpi eq, %p, %q : index")
outside = score_rule("%w = arith.constant 3 : index", "%k = arith.remui %j, %w : index",
                     "%t = tensor.extract {table}[%h, %k] : {type}", "%r = arith.addf %s, %t : f32")
blocks = mask_rule("%w = arith.constant 4 : index", "%p = arith.divsi %i, %w : index",
                   "%q = arith.divsi %j, %w : index", "%m = arith.cmpi sge, %p, %q : index")
sink = region("sink(%b: index, %h: index, %i: index)", "%z = arith.constant 0.25 : f32", "sinter.yield %z : f32")
combine = region("combine(%x: f32, %y: f32, %h: index, %d: index)", "%a = arith.addf %x, %y : f32",
                 "%t = math.tanh %a : f32", "sinter.yield %t : f32")
rules = ["", "", "", score, near, stripes, blocks, sink, combine, outside, score + stripes + sink, outside + blocks,
         score + near + sink + combine]
clauses = ["", "", "", " causal", " causal", " window(2, 1)", " causal window(4, ?)", " softcap(5.0)", " scale(0.5)"]


def clause(operands, name, value):
    """The text of a clause that takes one more operand."""
    operands.append(value)
    return f" {name}({{a{len(operands) - 1}}} : {{A{len(operands) - 1}}})"


def dense_mask(g, v, w, heads):
    """An added mask, some of which is -inf, each extent full or 1; only where no key is unspecified."""
    shape = (v.shape[0], heads, v.shape[1], w.shape[1])
    fixed = tuple(n if isinstance(n, str) or g.chance(0.5) else 1 for n in shape)
    element = g.random.choice(["f32", "i1"])
    mask = Value(fixed, element)
    g.entry.arguments.append(Argument(f"{g.entry.name}_mask{len(g.entry.arguments)}", mask))
    return mask


def extras(g, v, w, heads):
    """Further results on request: clauses and values."""
    keys = (v.shape[0], heads, v.shape[1], w.shape[1])
    known = [("lse", v.shape[:2] + (heads,)), ("scores", keys), ("weights", keys)]
    if g.lengths(w):
        known = known[:1]  # past a length a row of keys is unspecified
    chosen = [e for e in known if g.chance(0.15)]
    return "".join(f" {name}" for name, _ in chosen), [Value(shape) for _, shape in chosen]


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
    operands, text = [q, k, u], "sinter.attention {a0}, {a1}, {a2}" + g.random.choice(clauses)
    # Elements past a row's length are unspecified, so they must not count.
    if g.lengths(w):
        text += clause(operands, "lengths", g.lengths(w))
    if g.chance(0.2):
        text += clause(operands, "mask", dense_mask(g, v, w, heads))
    if g.chance(0.15):
        text += clause(operands, "alibi", g.weight(heads))
    rule = g.random.choice(rules)
    if "{table}" in rule:
        operands.append(g.weight(heads, 3))
        n = len(operands) - 1
        rule = rule.replace("{table}", f"{{a{n}}}").replace("{type}", f"{{A{n}}}")
    more, results = extras(g, v, w, heads)
    text += more + " : {A0}, {A1}, {A2}" + rule
    y = Value(v.shape[:2] + (heads, value))
    g.emit(text, operands, y, *results)
    # What has keys in it is no operand for others: past a row's length they are unspecified.
    g.hide(*results)
    g.outputs += results
    g.emit("sinter.merge_heads {a0} : {A0}", [y], Value(v.shape[:2] + (heads * value,)))


@operation()
def joined_keys(g):
    """Keys of two sequences after each other; how many there are only a call tells."""
    v = g.sequence()
    w = v and not g.ragged(v) and g.pick(lambda w: len(w.shape) == 3 and w.shape[0] == "batch" and w.last == v.last
                                         and not g.ragged(w) and (w.shape[1] in times or isinstance(w.shape[1], int)))
    if not w or v.last % 2:
        return
    both = Value(("batch", f"{v.shape[1]} + {w.shape[1]}", v.last))
    both = g.emit("tensor.concat dim(1) {a0}, {a1} : ({A0}, {A1}) -> {R0}", g.random.sample([v, w], 2), both)
    g.hide(both)
    q, k = split_heads(g, v, 2), split_heads(g, both, 2)
    g.hide(k)
    seen = g.random.choice(["", " causal", " window(3, 2)"])
    y = g.emit(f"sinter.attention {{a0}}, {{a1}}, {{a1}}{seen} : {{A0}}, {{A1}}, {{A1}}", [q, k], Value(q.shape))
    g.emit("sinter.merge_heads {a0} : {A0}", [y], Value(v.shape))


@operation()
def additive(g):
    w = g.sequence()
    v = w and g.pick(lambda v: v.last and v.shape[:-1] in (("batch",), ("batch", "sequence"), ("batch", "other")))
    if not v:
        return
    size = g.random.choice([1, 5, 16])
    q, k = project(g, v, size), project(g, w, size)
    operands, text = [q, k, w, g.weight(size)], "sinter.additive_attention {a0}, {a1}, {a2}, {a3}"
    if g.lengths(w):
        text += clause(operands, "lengths", g.lengths(w))
    weights = []
    if g.chance(0.3) and not g.lengths(w):
        weights = [Value(v.shape[:-1] + (w.shape[1],))]
        text += " weights"
    g.emit(text + " : {A0}, {A1}, {A2}, {A3}", operands, Value(v.shape[:-1] + (w.last,)), *weights)
    g.hide(*weights)
    g.outputs += weights
