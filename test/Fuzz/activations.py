"""Activations, with their numbers, and values that are not finite."""

from graph import Value
from scope import operation

plain = ["silu", "relu", "sigmoid", "gelu", "quick_gelu", "mish", "relu_squared", "hard_swish", "softplus", "softsign"]
# Slopes on both sides of 0, and 0.
alphas = ["0.01", "1.0", "-0.5", "0.0", "1.75"]


@operation(2)
def activation(g):
    v = g.pick()
    name = g.random.choice(plain)
    g.emit(f"sinter.{name} {{a0}}{' tanh' if name == 'gelu' and g.chance(0.5) else ''} : {{A0}}", [v], Value(v.shape))


@operation(2)
def with_numbers(g):
    v = g.pick()
    name = g.random.choice(["leaky_relu", "thresholded_relu", "elu", "hard_sigmoid"])
    numbers = f"alpha({g.random.choice(alphas)})"
    if name == "hard_sigmoid":
        numbers += f" beta({g.random.choice(['0.5', '-0.25', '0.0'])})"
    g.emit(f"sinter.{name} {{a0}} {numbers} : {{A0}}", [v], Value(v.shape))


@operation()
def dropout(g):
    v = g.pick()
    g.emit("sinter.dropout {a0} rate(0.25) : {A0}", [v], Value(v.shape))


@operation()
def not_finite(g):
    """Some elements become infinite or NaN."""
    v = g.pick(lambda v: v.shape)
    number = g.constant(g.random.choice(["0x7F800000", "0xFF800000", "0xFF800000", "0x7FC00000"]), "f32")
    limit = g.constant("0.7", "f32")
    number, limit = (g.spread(n, v) for n in (number, limit))
    chosen = g.emit("arith.cmpf ogt, {a0}, {a1} : {A0}", [g.alike(v), limit], Value(v.shape, "i1"))
    g.emit("arith.select {a0}, {a1}, {a2} : {A0}, {A1}", [chosen, number, v], Value(v.shape))
    g.hide(number, limit)
