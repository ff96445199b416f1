"""Gradients against numeric ones, of first and second order: eagerly, in graphs, under jit."""

import numpy as np
import pytest
import tensorflow as tf

BOUND = 1e-7
STEP = 2.0**-17  # exact in float64; error of the numeric gradient about 1e-10


# The op as a function of its differentiable inputs, and the shapes of those.
CASES = {
    "split_sign": (lambda m, x: m.conformance_split_sign(x)[:2], [(2, 3)]),
    "gate": (lambda m, x: m.conformance_gate(np.int8([1, 0, 1]), x, open_at=1), [(3,)]),
    "weighted_sum": (
        lambda m, *xs: m.conformance_weighted_sum(xs, weights=[1, -2, 0.5]),
        [(2, 2)] * 3,
    ),
    "spread": (lambda m, x: m.conformance_spread(x, N=3, weights=[1, -2, 0.5]), [(2, 2)]),
    "spread_in_part": (
        lambda m, x: m.conformance_spread(x, N=3, weights=[1, -2, 0.5])[1],
        [(2, 2)],
    ),
    "mixed": (
        lambda m, a, b: m.conformance_mixed([a, np.int32([1]), b]).ys[::2],
        [(2, 2), ()],
    ),
    "affine": (lambda m, x, b: m.conformance_affine(x, [b], scale=3), [(2, 3), (3,)]),
    "affine_without_bias": (lambda m, x: m.conformance_affine(x, [], scale=3), [(2, 3)]),
    "masked_sum": (lambda m, x: m.conformance_masked_sum(x, [[True, False, True]]), [(3,)]),
    "masked_sum_without_mask": (lambda m, x: m.conformance_masked_sum(x, []), [(3,)]),
    "fill": (lambda m, v: m.conformance_fill([2, 3], v), [()]),
    "sum_all": (lambda m, x: m.conformance_sum_all(x), [(2, 3)]),
    "repeat": (lambda m, x: m.conformance_repeat(x, np.int64([2, 0, 3])), [(3,)]),
    "sum_runs": (lambda m, x: m.conformance_sum_runs(x, np.int64([2, 0, 3])), [(5,)]),
    "prefix_sum": (lambda m, x: m.conformance_prefix_sum(x), [(5,)]),
    "prefix_sum_reverse": (lambda m, x: m.conformance_prefix_sum(x, reverse=True), [(5,)]),
    "negate": (lambda m, x: m.conformance_negate(x).y, [(2, 3)]),
    "scale": (lambda m, x, f: m.conformance_scale(x, f), [(2, 3), ()]),
    "dot": (lambda m, a, b: m.conformance_dot(a, b), [(2, 3), (2, 3)]),
    "exp_mul": (lambda m, a, b: m.conformance_exp_mul(a, b, rate=-0.5), [(2, 3), (2, 3)]),
    "counted_exp_mul": (lambda m, a, b: m.conformance_counted_exp_mul(a, b), [(3,), (3,)]),
    "conj_mul": (
        lambda m, a, b: m.conformance_conj_mul(tf.complex(a, b), tf.complex(b, a + b), scale=2),
        [(3,), (3,)],
    ),
    "lookup": (lambda m, table: m.conformance_lookup(table, [2.1, 0.3, 1.9]), [(4,)]),
    "throw_nowhere": (lambda m, x: m.conformance_throw(x, place="nowhere"), [(3,)]),
    "copy": (lambda m, x: m.conformance_copy(x), [(2, 0, 3)]),
}


def real(results):
    """All outputs as one vector of real numbers."""
    parts = []
    for tensor in tf.nest.flatten(results):
        is_complex = tensor.dtype.is_complex
        for part in (tf.math.real(tensor), tf.math.imag(tensor)) if is_complex else (tensor,):
            parts.append(tf.reshape(part, [-1]))
    return tf.concat(parts, 0)


def error_of(function, inputs):
    """The largest error, for each input as a part of its largest derivative, if that is over 1."""
    theoretical, numeric = tf.test.compute_gradient(function, inputs, delta=STEP)
    return max(
        np.abs(t - n).max(initial=0) / np.abs(n).max(initial=1)
        for t, n in zip(theoretical, numeric)
    )


@pytest.mark.parametrize("mode", ["eager", "graph", "jit"])
@pytest.mark.parametrize("case", CASES)
def test_numeric(conformance, rng, case, mode):
    op, shape_list = CASES[case]
    inputs = [tf.constant(rng.normal(size=shape)) for shape in shape_list]

    def function(*xs):
        return real(op(conformance, *xs))

    def first(*xs):
        # Squared, so that linear ops have a second derivative too.
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.reduce_sum(function(*xs) ** 2)
        return real(tape.gradient(y, xs))

    if mode != "eager":
        jit = mode == "jit"
        function, first = (tf.function(f, jit_compile=jit) for f in (function, first))
    assert error_of(function, inputs) < BOUND
    assert error_of(first, inputs) < BOUND


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(conformance, rng, dtype):
    inputs = [tf.constant(rng.normal(size=3) + 1j * rng.normal(size=3), dtype) for _ in range(2)]

    def gradient(op):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = tf.abs(op(*inputs)) ** 2 + tf.math.imag(op(*inputs))
        return tape.gradient(y, inputs)

    tolerance = 1e-5 if dtype == "complex64" else 1e-13
    ours = gradient(lambda a, b: conformance.conformance_conj_mul(a, b, scale=2))
    theirs = gradient(lambda a, b: 2 * a * tf.math.conj(b))
    for our, their in zip(ours, theirs):
        assert our.dtype == dtype
        np.testing.assert_allclose(our, their, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("jit", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_dtypes(conformance, dtype, jit):
    def gradients(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = conformance.conformance_exp_mul(a, b, rate=0.5)
        return [y, *tape.gradient(y, [a, b])]

    a, b = tf.constant([0.0, 1.0, -1.0], dtype), tf.constant([1.0, 2.0, 3.0], dtype)
    y, d_a, d_b = (tf.function(gradients, jit_compile=True) if jit else gradients)(a, b)
    assert (y.dtype, d_a.dtype, d_b.dtype) == (dtype,) * 3
    tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-14}[dtype]
    a, b = tf.cast(a, tf.float64), tf.cast(b, tf.float64)
    np.testing.assert_allclose(tf.cast(d_b, tf.float64), tf.exp(0.5 * a), rtol=tolerance)
    np.testing.assert_allclose(tf.cast(d_a, tf.float64), 0.5 * tf.exp(0.5 * a) * b, rtol=tolerance)


def test_two_dtypes(conformance):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = conformance.conformance_convert(x).y
        z = conformance.conformance_convert(x, To=tf.int32).y
    d_x = tape.gradient(y, x, output_gradients=tf.constant([3.0, 4.0], tf.float64))
    assert d_x.dtype == tf.float32
    np.testing.assert_array_equal(d_x, [3, 4])
    assert tape.gradient(z, x) is None


@pytest.mark.parametrize("used", [0, 1])
def test_unused_output(conformance, used):
    """tf.gradients says None for the gradient of an output of which nothing depends."""
    x = tf.constant([2.0, -3.0, 0.0])
    expected = [[1, 0, 0], [0, -1, 0]][used]

    @tf.function
    def in_graph(x):
        return tf.gradients(conformance.conformance_split_sign(x)[used], [x])[0]

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = conformance.conformance_split_sign(x)[used]
    np.testing.assert_array_equal(in_graph(x), expected)
    np.testing.assert_array_equal(tape.gradient(y, x), expected)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_sparse_gradient_of_output(conformance, graph):
    """tf.gather hands IndexedSlices, not a tensor, to the op before it."""

    def gradient(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = tf.gather(conformance.conformance_exp_mul(a, b), [2, 0, 2])
        return tape.gradient(y, [a, b])

    a, b = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    d_a, d_b = (tf.function(gradient) if graph else gradient)(tf.constant(a), tf.constant(b))
    times = np.array([1, 0, 2])
    np.testing.assert_allclose(d_a, times * np.exp(a) * b, rtol=1e-14)
    np.testing.assert_allclose(d_b, times * np.exp(a), rtol=1e-14)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_hessian(conformance, graph):

    def hessian(x):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(conformance.conformance_exp_mul(x, x * x))
            first = inner.gradient(y, x)
        return outer.jacobian(first, x, experimental_use_pfor=False)

    x = np.array([0.5, -1.0])
    result = (tf.function(hessian) if graph else hessian)(tf.constant(x))
    np.testing.assert_allclose(result, np.diag(np.exp(x) * (x * x + 4 * x + 2)), rtol=1e-13)
