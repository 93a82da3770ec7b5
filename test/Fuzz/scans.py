"""Recurrences whose step is random."""

from graph import Value
from scope import operation

unary = ["math.tanh {0} : {1}", "sinter.sigmoid {0} : {1}", "sinter.relu {0} : {1}", "math.absf {0} : {1}",
         "arith.negf {0} : {1}", "sinter.silu {0} : {1}",
         "sinter.gelu {0} : {1}", "sinter.softplus {0} : {1}", "sinter.elu {0} alpha(0.5) : {1}",
         "sinter.hard_sigmoid {0} alpha(0.2) beta(0.5) : {1}", "sinter.leaky_relu {0} alpha(0.1) : {1}"]


class Step:
    """The body of a scan: values are (name, width, whether columns of it can be used apart)."""

    def __init__(self, g):
        self.g, self.lines, self.values, self.outside = g, [], [], []

    def type(self, width):
        return f"tensor<?x{width}xf32>"

    def use(self, value):
        """A value from outside, by its place among the operation's operands."""
        self.outside.append(value)
        number = len(self.outside) - 1
        return f"{{a{number}}}", f"{{A{number}}}"

    def emit(self, text, width, whole=True):
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.values.append((name, width, whole))
        return self.values[-1]

    def pick(self, fits=lambda v: True):
        found = [v for v in self.values if fits(v)]
        return self.g.random.choice(found[-4:] if self.g.chance(0.6) else found) if found else None

    def linear(self, v, width):
        weight, weight_type = self.use(self.g.weight(width, v[1]))
        bias, bias_type = "", ""
        if self.g.chance(0.4):
            name, type = self.use(self.g.weight(width))
            bias, bias_type = f", {name}", f", {type}"
        return self.emit(f"sinter.linear {v[0]}, {weight}{bias} : {self.type(v[1])}, {weight_type}{bias_type}", width)

    def map_one(self):
        v = self.pick()
        self.emit(self.g.random.choice(unary).format(v[0], self.type(v[1])), v[1], v[2])

    def map_two(self):
        v = self.pick()
        w = self.pick(lambda w: w[1] == v[1])
        name = self.g.random.choice(["addf", "mulf", "subf", "maximumf"])
        self.emit(f"arith.{name} {v[0]}, {w[0]} : {self.type(v[1])}", v[1], v[2] and w[2])

    def project(self):
        self.linear(self.pick(), self.g.random.choice([3, 7, 16, 20, 32]))

    def project_joined(self):
        v, w = self.pick(), self.pick()
        width = v[1] + w[1]
        name = f"%c{len(self.lines)}"
        self.lines.append(f"{name} = tensor.concat dim(1) {v[0]}, {w[0]} : "
                          f"({self.type(v[1])}, {self.type(w[1])}) -> {self.type(width)}")
        self.linear((name, width), self.g.random.choice([3, 16, 20]))

    def norm(self):
        v = self.pick()
        kind = self.g.random.choice(["layer_norm", "rms_norm", "softmax"])
        if kind == "softmax":
            self.emit(f"sinter.softmax {v[0]} : {self.type(v[1])}", v[1], v[2])
            return
        if self.g.chance(0.3):
            self.emit(f"sinter.{kind} {v[0]} eps(1.0e-2) : {self.type(v[1])}", v[1], v[2])
            return
        gain, type = self.use(self.g.weight(v[1]))
        clause = " unit_offset" if kind == "rms_norm" and self.g.chance(0.3) else ""
        self.emit(f"sinter.{kind} {v[0]}, {gain}{clause} eps(1.0e-3) : {self.type(v[1])}, {type}", v[1], v[2])

    def halves(self):
        v = self.pick(lambda v: v[2] and v[1] % 2 == 0)
        if not v:
            return
        half = v[1] // 2
        name = f"%p{len(self.lines)}"
        self.lines.append(f"{name}:2 = sinter.split {v[0]} [{half}, {half}] : {self.type(v[1])}")
        self.values += [(f"{name}#0", half, True), (f"{name}#1", half, True)]

    def unpack(self, v):
        """A state of two halves, each of which is used; both together only in a product."""
        half = v[1] // 2
        name = f"%p{len(self.lines)}"
        self.lines.append(f"{name}:2 = sinter.split {v[0]} [{half}, {half}] : {self.type(v[1])}")
        self.values += [(f"{name}#0", half, False), (f"{name}#1", half, False)]
        if self.g.chance(0.5):
            self.linear(v, self.g.random.choice([3, 16, 20]))

    def broadcast(self):
        v = self.pick()
        gain, type = self.use(self.g.weight(v[1]))
        self.emit(f"sinter.broadcast {gain} like({v[0]}) : {type}, {self.type(v[1])}", v[1])

    def gate(self):
        """One number per row, for all columns of another value."""
        v, g = self.pick(), self.linear(self.pick(), 1)
        self.emit(f"sinter.sigmoid {g[0]} : {self.type(1)}", 1)
        self.emit(f"sinter.broadcast {self.values[-1][0]} like({v[0]}) : {self.type(1)}, {self.type(v[1])}", v[1])

    def state(self, width):
        """A value of that width, bounded so that no state grows without end."""
        v = self.pick(lambda v: v[1] == width and v[0].startswith("%s")) or self.linear(self.pick(), width)
        return self.emit(f"math.tanh {v[0]} : {self.type(width)}", width, v[2])


@operation(2)
def scan(g):
    v = g.sequence()
    if not v:
        return
    step = Step(g)
    each = []
    w = g.pick(lambda w: len(w.shape) == 3 and w.shape[:2] == v.shape[:2] and w.last)
    for number, sequence in enumerate([v, w] if w and g.chance(0.3) else [v]):
        name, type = step.use(sequence)
        each.append(f"%x{number} = {name} : {type}")
        step.values.append((f"%x{number}", sequence.last, True))
    carry, widths, packings = [], [], []
    for number in range(g.random.choice([1, 1, 2])):
        widths.append(g.random.choice([1, 7, 16, 20]))
        initial = g.pick(lambda w: w.shape == ("batch", widths[-1])) if g.chance(0.3) else None
        name = step.use(initial)[0] if initial else "zero"
        carry.append(f"%h{number} = {name} : {step.type(widths[-1])}")
        packed = widths[-1] % 2 == 0 and g.chance(0.3)
        (packings if packed else step.values).append((f"%h{number}", widths[-1], False))
    for state in packings:
        step.unpack(state)
    kinds = [step.map_one] * 3 + [step.map_two] * 3 + [step.project] * 3
    kinds += [step.project_joined, step.norm, step.halves, step.broadcast, step.gate]
    for _ in range(g.random.randint(2, 12)):
        g.random.choice(kinds)()
    states = [step.state(width) for width in widths]
    outputs = [step.pick() for _ in range(g.random.choice([0, 1, 1, 2]))]
    clauses = ""
    if g.lengths(v) and g.chance(0.7):
        name, type = step.use(g.lengths(v))
        clauses += f" lengths({name} : {type})"
    if g.chance(0.4):
        clauses += " reverse"

    def group(word, values):
        names = ", ".join(v[0] for v in values)
        types = ", ".join(step.type(v[1]) for v in values)
        return f" {word}({names} : {types})" if values else ""

    results = [Value(v.shape[:2] + (o[1],)) for o in outputs] + [Value(("batch", width)) for width in widths]
    types = ", ".join(f"{{R{i}}}" for i in range(len(results)))
    body = "".join(f"      {line}\n" for line in step.lines)
    body += f"      sinter.yield{group('each', outputs)}{group('carry', states)}\n"
    text = f"sinter.scan each({', '.join(each)}) carry({', '.join(carry)}){clauses} -> ({types}) {{{{\n{body}    }}}}"
    g.emit(text, step.outside, *results)
