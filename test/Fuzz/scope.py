"""What the operations' generators work with: an entry under construction and the values it has."""

from graph import Argument, Entry, Op, Value

generators = []


def operation(weight=1):
    """Registers a generator. It appends operations to a scope, or returns without any where it finds no operand."""

    def register(function):
        generators.extend([function] * weight)
        return function

    return register


def listed(letter, operands):
    """The operands' names ('a') or types ('A') in an operation's text."""
    return ", ".join(f"{{{letter}{i}}}" for i in range(len(operands)))


class Scope:
    def __init__(self, random, module, name):
        self.random, self.module = random, module
        self.entry = Entry(name)
        self.values = []
        self.outputs = []  # results that nothing may use
        self.counts = {}

    def argument(self, name, shape, element="f32"):
        name = f"{self.entry.name}_{name}"
        value = Value(tuple(shape), element)
        self.entry.arguments.append(Argument(name, value))
        if element == "f32":
            self.values.append(value)
        return value

    def emit(self, text, operands, *results, effect=False):
        """Appends an operation and returns its results; what is f32 can become an operand later."""
        self.entry.ops.append(Op(text, list(operands), list(results), effect))
        self.values += [v for v in results if v.element == "f32" and not v.text]
        return results[0] if len(results) == 1 else results

    def weight(self, *shape):
        """A tensor of the archive; weights of one shape are sometimes one."""
        name = "w" + "x".join(map(str, shape)) + "_" + str(self.random.randrange(3))
        value = Value(tuple(shape))
        self.entry.ops.append(Op(f'sinter.weight "{name}" : {{R0}}', [], [value]))
        return value

    def constant(self, text, type):
        value = Value((), text=type)
        self.entry.ops.append(Op(f"arith.constant {text} : {type}", [], [value]))
        return value

    def spread(self, number, like):
        """A scalar with the shape of a value."""
        return self.emit("sinter.broadcast {a0} like({a1}) : {A0}, {A1}", [number, like], Value(like.shape))

    def hide(self, *values):
        """Takes values from what later operations may use."""
        self.values = [v for v in self.values if v not in values]

    def pick(self, fits=lambda v: True):
        """A value that fits, more often a late one; None without."""
        found = [v for v in self.values if fits(v)]
        if not found:
            return None
        return self.random.choice(found[-4:] if self.random.random() < 0.7 else found)

    def alike(self, value):
        return self.pick(lambda v: v.shape == value.shape)

    def sequence(self):
        """A value [batch, time, constant]."""
        return self.pick(lambda v: len(v.shape) == 3 and v.shape[0] == "batch" and v.shape[1] in times and v.last)

    def count(self, dimension):
        """Gives the entry an argument that counts the elements of each row."""
        value = Value(("batch",), "i64")
        self.entry.arguments.append(Argument(f"{self.entry.name}_n_{dimension}", value))
        self.counts[dimension] = value

    def ragged(self, value):
        """Whether elements of `value` are unspecified: nothing may mix its positions."""
        return any(n in self.counts for n in value.shape)

    def lengths(self, value):
        """How many elements each row of `value` has, None where all have all."""
        return self.counts.get(value.shape[1])

    def chance(self, probability):
        return self.random.random() < probability


times = ("sequence", "other")
