"""Modules as data: what the generator makes, the shrinker takes apart and sinter-run reads."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class Value:
    """An SSA value. A shape mixes extents and names of dynamic dimensions."""

    shape: tuple
    element: str = "f32"
    text: str = ""  # another type than a tensor's

    @property
    def type(self):
        if self.text:
            return self.text
        extents = "".join(("?" if isinstance(n, str) else str(n)) + "x" for n in self.shape)
        return f"tensor<{extents}{self.element}>"

    @property
    def last(self):
        """The innermost extent, 0 where it is dynamic or absent."""
        return self.shape[-1] if self.shape and isinstance(self.shape[-1], int) else 0


@dataclass(eq=False)
class Op:
    """`text` names operands {a0}, {a1}, ..., their types {A0}, ... and the results' types {R0}, ..."""

    text: str
    operands: list
    results: list
    effect: bool = False  # stays without a user

    def print(self, names):
        fields = {f"a{i}": names[v] for i, v in enumerate(self.operands)}
        fields |= {f"A{i}": v.type for i, v in enumerate(self.operands)}
        fields |= {f"R{i}": v.type for i, v in enumerate(self.results)}
        left = ", ".join(names[v] for v in self.results)
        return "    " + (f"{left} = " if left else "") + self.text.format(**fields)


@dataclass(eq=False)
class Argument:
    name: str
    value: Value

    def print(self, names):
        dims = ", ".join(f'"{n}"' for n in self.value.shape if isinstance(n, str))
        dims = f", sinter.dims = [{dims}]" if dims else ""
        return f'{names[self.value]}: {self.value.type} {{sinter.name = "{self.name}"{dims}}}'


@dataclass(eq=False)
class Entry:
    name: str
    arguments: list = field(default_factory=list)
    ops: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    def sweep(self):
        """Removes what no output and no effect needs."""
        live = set(self.outputs)
        kept = []
        for op in reversed(self.ops):
            if op.effect or live.intersection(op.results):
                kept.append(op)
                live.update(op.operands)
        self.ops = kept[::-1]
        # A dynamic extent needs an argument that tells it.
        told = set(n for v in live | set(self.outputs) for n in v.shape if isinstance(n, str))
        for argument in self.arguments:
            if argument.value in live:
                told.difference_update(argument.value.shape)
        kept = []
        for argument in self.arguments:
            if argument.value in live or told.intersection(argument.value.shape):
                told.difference_update(argument.value.shape)
                kept.append(argument)
        self.arguments = kept

    def print(self):
        names = {}
        for argument in self.arguments:
            names[argument.value] = f"%{argument.name}"
        for op in self.ops:
            for result in op.results:
                names[result] = f"%v{len(names)}"
        lines = [op.print(names) for op in self.ops]
        values = ", ".join(names[v] for v in self.outputs)
        types = ", ".join(v.type for v in self.outputs)
        results = ", ".join(f'{v.type} {{sinter.name = "{self.name}_{i}"}}' for i, v in enumerate(self.outputs))
        arguments = ",\n      ".join(a.print(names) for a in self.arguments)
        arrow = f" -> ({results})" if self.outputs else ""
        lines.append(f"    return {values} : {types}" if self.outputs else "    return")
        return f"  func.func @{self.name}({arguments}){arrow} {{\n" + "\n".join(lines) + "\n  }\n"


@dataclass(eq=False)
class Module:
    """States are printed where an operation names them."""

    seed: int
    states: dict = field(default_factory=dict)  # name -> declaration
    entries: list = field(default_factory=list)

    def print(self):
        body = "".join(e.print() for e in self.entries)
        used = [text for name, text in self.states.items() if f"@{name}" in body]
        states = "".join(f"  {text}\n" for text in used)
        return f'module @fuzz attributes {{sinter.archive = "fuzz.safetensors"}} {{\n{states}{body}}}\n'

    def size(self):
        return sum(len(e.ops) + len(e.outputs) + len(e.arguments) for e in self.entries)
