"""element_mul in TensorFlow: opened plainly, and by the package."""

import numpy as np
import pytest
import tensorflow as tf

DTYPES = ["float16", "bfloat16", "float32", "float64", "int32", "int64"]


@pytest.fixture(params=["plain", "package"])
def element_mul(request, core):
    if request.param == "plain":
        return core.opwright_element_mul
    import opwright

    return opwright.element_mul


def static_shape(function, *specs):
    shape = tf.function(function).get_concrete_function(*specs).output_shapes
    return None if shape.rank is None else shape.as_list()


def spec(*dims, dtype=tf.float32):
    return tf.TensorSpec(dims, dtype)


UNKNOWN = tf.TensorSpec(None, tf.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (7,), (2, 3), (2, 3, 4, 5)])
def test_values(element_mul, rng, dtype, shape):
    # Multiples of 1/8 below 4 have an exact product in 16 bits, in bfloat16 after one rounding.
    scale = 1 if dtype.startswith("int") else 8
    a, b = (tf.cast(rng.integers(-31, 32, size=shape) / scale, dtype) for _ in range(2))
    product = element_mul(a, b)
    assert (product.dtype, product.shape) == (dtype, shape)
    wide = [tf.cast(x, tf.float64) for x in (a, b)]
    expected = tf.cast(wide[0] * wide[1], dtype)
    np.testing.assert_array_equal(
        tf.cast(product, tf.float64).numpy(), tf.cast(expected, tf.float64).numpy()
    )
    for jit in (False, True):
        graph = tf.function(element_mul, jit_compile=jit)
        np.testing.assert_array_equal(
            tf.cast(graph(a, b), tf.float64), tf.cast(product, tf.float64)
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_special_values(element_mul, dtype):
    a = tf.constant([np.inf, np.nan, -0.0, 3e38, -np.inf], dtype)
    b = tf.constant([0.0, 1.0, 5.0, 1e38, 2.0], dtype)
    product = tf.cast(element_mul(a, b), tf.float64).numpy()
    np.testing.assert_array_equal(product[[0, 1, 2, 4]], [np.nan, np.nan, -0.0, -np.inf])
    assert np.signbit(product[2])
    assert np.isinf(product[3]) == (dtype != "float64")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_value_of_16_bits(element_mul, dtype):
    bits = np.arange(2**16, dtype=np.uint16)
    a = tf.bitcast(bits, dtype)
    b = tf.random.shuffle(a, seed=1)
    np.testing.assert_array_equal(
        tf.cast(element_mul(a, b), tf.float32),
        tf.cast(tf.cast(tf.cast(a, tf.float32) * tf.cast(b, tf.float32), dtype), tf.float32),
    )


def test_integers_wrap(element_mul):
    for dtype in (np.int32, np.int64):
        x = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min, 1 << 20], dtype)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(element_mul(x, x), x * x)


def test_python_values(element_mul):
    np.testing.assert_array_equal(element_mul([1.0, 2.0], [3.0, 4.0]), [3, 8])
    assert element_mul(3, 4).dtype == tf.int32


def test_name(element_mul):
    graph = tf.function(lambda x: element_mul(x, x, name="squared")).get_concrete_function(spec(2))
    assert "squared" in [operation.name for operation in graph.graph.get_operations()]


def test_shapes_in_graphs(element_mul):
    assert static_shape(element_mul, spec(None, 3), spec(2, None)) == [2, 3]
    assert static_shape(element_mul, UNKNOWN, spec(2, None)) == [2, None]
    assert static_shape(element_mul, spec(None), UNKNOWN) == [None]
    assert static_shape(element_mul, UNKNOWN, UNKNOWN) is None
    assert static_shape(element_mul, spec(), spec()) == []
    assert static_shape(element_mul, spec(), UNKNOWN) == []
    assert static_shape(element_mul, spec(0, 3), spec(None, None)) == [0, 3]


@pytest.mark.parametrize(
    "a, b, said",
    [
        ((2, 3), (2, 4), "[2,3] and [2,4]"),
        ((None, 3), (2, 4), "[?,3] and [2,4]"),
        ((2, 3), (2, 3, 1), "[2,3] and [2,3,1]"),
        ((), (1,), "[] and [1]"),
    ],
)
def test_mismatch_while_the_graph_is_built(element_mul, a, b, said):
    with pytest.raises(ValueError) as error:
        static_shape(element_mul, spec(*a), spec(*b))
    assert f"inputs a and b must have the same shape, they have {said}" in str(error.value)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(
    "a, b, said",
    [((2, 3), (3, 2), "[2,3] and [3,2]"), ((1,), (), "[1] and []"), ((0,), (1,), "[0]")],
)
def test_mismatch_in_a_run(element_mul, a, b, said, graph):
    run = tf.function(element_mul, input_signature=[UNKNOWN] * 2) if graph else element_mul
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.ones(a), tf.ones(b))
    assert "inputs a and b must have the same shape, they have " + said in str(error.value)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0)])
def test_numeric_gradients(element_mul, rng, shape, graph):
    inputs = [tf.constant(rng.normal(size=shape)) for _ in range(2)]

    def first(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = element_mul(element_mul(a, b), a)
        return tf.stack(tape.gradient(y, [a, b]))

    for function in (element_mul, first):
        run = tf.function(function) if graph else function
        theoretical, numeric = tf.test.compute_gradient(run, inputs, delta=2.0**-17)
        for t, n in zip(theoretical, numeric):
            np.testing.assert_allclose(t, n, rtol=0, atol=1e-7)


@pytest.mark.parametrize("dtype", DTYPES[:4])
def test_gradient_has_the_dtype_of_the_input(element_mul, dtype):
    a, b = tf.constant([1.0, 2.0], dtype), tf.constant([3.0, 4.0], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = element_mul(a, b)
    for source, expected in ((a, [3, 4]), (b, [1, 2])):
        gradient = tape.gradient(y, source)
        assert gradient.dtype == dtype
        np.testing.assert_array_equal(tf.cast(gradient, tf.float32), expected)


def test_one_tensor_twice(element_mul):
    x = tf.Variable([1.0, 2.0, -3.0])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = element_mul(x, x)
        first = inner.gradient(y, x)
    np.testing.assert_array_equal(first, [2, 4, -6])
    np.testing.assert_array_equal(outer.gradient(first, x), [2, 2, 2])


def test_symbolic_gradients(element_mul):
    @tf.function
    def run(a, b):
        return tf.gradients(element_mul(a, b), [a, b])

    d_a, d_b = run(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    np.testing.assert_array_equal(d_a, [3, 4])
    np.testing.assert_array_equal(d_b, [1, 2])


RELOAD = """
import sys
import tensorflow as tf

tf.load_op_library(sys.argv[1])
model = tf.saved_model.load(sys.argv[2])
print(*model.multiply(tf.constant([1.0, 2.0, 3.0])).numpy())
with tf.GradientTape() as tape:
    y = model.multiply(tf.constant([1.0, 2.0, 3.0]))
print(*tape.gradient(y, model.factor).numpy())
assert "opwright" not in sys.modules
"""


def test_saved_model(element_mul, core_path, run_child, tmp_path):
    model = tf.Module()
    model.factor = tf.Variable([4.0, 5.0, 6.0])
    model.multiply = tf.function(
        lambda x: element_mul(x, model.factor), input_signature=[spec(None)]
    )
    tf.saved_model.save(model, str(tmp_path))
    lines = run_child(RELOAD, core_path, tmp_path).stdout.splitlines()
    assert lines == ["4.0 10.0 18.0", "1.0 2.0 3.0"]


def test_in_keras(element_mul, rng, tmp_path):
    import opwright.keras

    x = tf.keras.Input((3,))
    gate = tf.keras.layers.Dense(3)(x)
    model = tf.keras.Model(x, opwright.keras.Op(element_mul)(x, gate))
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    points = rng.uniform(size=(64, 3)).astype(np.float32)
    losses = model.fit(points, points**2, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    expected = model.predict(points, verbose=0)
    np.testing.assert_array_equal(again.predict(points, verbose=0), expected)
