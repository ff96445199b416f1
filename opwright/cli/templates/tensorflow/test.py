"""element_mul, in the TensorFlow that its library was built for: python -m pytest test.py"""

import ctypes
import importlib
import pathlib

import element_mul as module
import numpy as np
import pytest
import tensorflow as tf
from element_mul import element_mul as op

DTYPES = ["float16", "bfloat16", "float32", "float64", "int32", "int64"]
UNKNOWN = tf.TensorSpec(None, tf.float32)


def spec(*dims):
    return tf.TensorSpec(dims, tf.float32)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (7,), (2, 3), (2, 3, 4, 5)])
def test_values(rng, dtype, shape):
    # Multiples of 1/8 below 4 have an exact product in 16 bits, in bfloat16 after one rounding.
    scale = 1 if dtype.startswith("int") else 8
    a, b = (tf.cast(rng.integers(-31, 32, size=shape) / scale, dtype) for _ in range(2))
    expected = tf.cast(tf.cast(a, tf.float64) * tf.cast(b, tf.float64), dtype)
    for product in (op(a, b), tf.function(op)(a, b)):
        assert (product.dtype, product.shape) == (dtype, shape)
        np.testing.assert_array_equal(tf.cast(product, tf.float64), tf.cast(expected, tf.float64))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_value_of_16_bits(dtype):
    a = tf.bitcast(np.arange(2**16, dtype=np.uint16), dtype)
    b = tf.random.shuffle(a, seed=1)
    expected = tf.cast(tf.cast(a, tf.float32) * tf.cast(b, tf.float32), dtype)
    np.testing.assert_array_equal(tf.cast(op(a, b), tf.float32), tf.cast(expected, tf.float32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_wrap(dtype):
    x = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min, 1 << 20], dtype)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(op(x, x), x * x)


def test_many_elements(rng):
    a, b = (rng.normal(size=1 << 20) for _ in range(2))
    np.testing.assert_array_equal(op(a, b), a * b)


def test_another_dtype():
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        op(tf.constant([True]), tf.constant([True]))


@pytest.mark.parametrize(
    "a, b, product",
    [
        (spec(None, 3), spec(2, None), [2, 3]),
        (UNKNOWN, spec(2, None), [2, None]),
        (spec(None), UNKNOWN, [None]),
        (UNKNOWN, UNKNOWN, None),
        (spec(), UNKNOWN, []),
        (spec(0, 3), spec(None, None), [0, 3]),
    ],
)
def test_shapes_in_graphs(a, b, product):
    assert tf.function(op).get_concrete_function(a, b).output_shapes == tf.TensorShape(product)


@pytest.mark.parametrize(
    "a, b, said",
    [
        (spec(2, 3), spec(2, 4), "[2,3] and [2,4]"),
        (spec(None, 3), spec(2, 4), "[?,3] and [2,4]"),
        (spec(2, 3), spec(2, 3, 1), "[2,3] and [2,3,1]"),
        (spec(), spec(1), "[] and [1]"),
    ],
)
def test_mismatch_while_the_graph_is_built(a, b, said):
    with pytest.raises(ValueError) as error:
        tf.function(op).get_concrete_function(a, b)
    assert f"inputs a and b must have the same shape, they have {said}" in str(error.value)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(
    "a, b, said",
    [((2, 3), (3, 2), "[2,3] and [3,2]"), ((1,), (), "[1] and []"), ((0,), (1,), "[0] and [1]")],
)
def test_mismatch_in_a_run(a, b, said, graph):
    run = tf.function(op, input_signature=[UNKNOWN] * 2) if graph else op
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tf.ones(a), tf.ones(b))
    assert f"inputs a and b must have the same shape, they have {said}" in str(error.value)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0)])
def test_gradients_of_first_and_second_order(rng, shape, graph):
    inputs = [tf.constant(rng.normal(size=shape)) for _ in range(2)]

    def first(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = op(op(a, b), a)
        return tf.stack(tape.gradient(y, [a, b]))

    for function in (op, first):
        run = tf.function(function) if graph else function
        theoretical, numeric = tf.test.compute_gradient(run, inputs, delta=2.0**-17)
        for t, n in zip(theoretical, numeric):
            np.testing.assert_allclose(t, n, rtol=0, atol=1e-7)


@pytest.mark.parametrize("dtype", DTYPES[:4])
def test_gradient_has_the_dtype_of_the_input(dtype):
    a, b = tf.constant([1.0, 2.0], dtype), tf.constant([3.0, 4.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = op(a, b)
    for gradient, expected in zip(tape.gradient(y, [a, b]), ([3, 4], [1, 2])):
        assert gradient.dtype == dtype
        np.testing.assert_array_equal(tf.cast(gradient, tf.float32), expected)


def test_imported_twice():
    again = importlib.reload(module)
    np.testing.assert_array_equal(again.element_mul([1.0, 2.0], [3.0, 4.0]), [3, 8])
    x = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = again.element_mul(x, x)
    np.testing.assert_array_equal(tape.gradient(y, x), [6])


POINTER, TEXT, INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


class Output(ctypes.Structure):
    _fields_ = [("node", POINTER), ("index", INT)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", POINTER), ("length", ctypes.c_size_t), ("free", POINTER)]


# Of TensorFlow's C API: result, arguments.
SIGNATURES = {
    "NewStatus": [POINTER],
    "GetCode": [INT, POINTER],
    "Message": [TEXT, POINTER],
    "NewGraph": [POINTER],
    "NewBuffer": [ctypes.POINTER(Buffer)],
    "NewBufferFromString": [POINTER, TEXT, ctypes.c_size_t],
    "NewImportGraphDefOptions": [POINTER],
    "GraphImportGraphDef": [None] + [POINTER] * 4,
    "GraphToGraphDef": [None] + [POINTER] * 3,
    "GraphOperationByName": [POINTER, POINTER, TEXT],
    "OperationName": [TEXT, POINTER],
    "AddGradientsWithPrefix": [None, POINTER, TEXT]
    + [POINTER, INT, POINTER, INT, POINTER, POINTER, POINTER],
}


class CGraph:
    """A graph in TensorFlow's C API, which differentiates by the gradients for C++."""

    def __init__(self, graph_def):
        # The one that this process has opened already.
        self._library = ctypes.CDLL(f"{pathlib.Path(tf.__file__).parent}/libtensorflow_cc.so.2")
        self._status, self._graph = self._call("NewStatus"), self._call("NewGraph")
        data = graph_def.SerializeToString()
        buffer = self._call("NewBufferFromString", data, len(data))
        options = self._call("NewImportGraphDefOptions")
        self._checked("GraphImportGraphDef", self._graph, buffer, options, self._status)

    def _call(self, name, *arguments):
        function = getattr(self._library, "TF_" + name)
        function.restype, *function.argtypes = SIGNATURES[name]
        return function(*arguments)

    def _checked(self, name, *arguments):
        self._call(name, *arguments)
        assert self._call("GetCode", self._status) == 0, self._call("Message", self._status)

    def _outputs(self, names):
        nodes = [self._call("GraphOperationByName", self._graph, name.encode()) for name in names]
        return (Output * len(names))(*((node, 0) for node in nodes))

    def add_gradients(self, prefix, y, d_y, xs):
        """The names of the nodes that are the gradients of y; d_y is what flows in there.

        Without a d_y it is made by OnesLike, which has no gradient for C++ itself.
        """
        d_xs = (Output * len(xs))()
        ys, d_ys, inputs = (self._outputs(names) for names in ([y], [d_y], xs))
        arguments = [prefix.encode(), ys, 1, inputs, len(xs), d_ys, self._status, d_xs]
        self._checked("AddGradientsWithPrefix", self._graph, *arguments)
        return [self._call("OperationName", d_x.node).decode() for d_x in d_xs]

    def graph_def(self):
        buffer = self._call("NewBuffer")
        self._checked("GraphToGraphDef", self._graph, buffer, self._status)
        text = ctypes.string_at(buffer.contents.data, buffer.contents.length)
        return tf.compat.v1.GraphDef.FromString(text)


def test_gradients_for_cpp(rng):
    values = {name: rng.normal(size=3) for name in ("a", "b", "d_y", "d_d_a")}
    with tf.Graph().as_default() as graph:
        placeholders = [tf.compat.v1.placeholder(tf.float64, [3], name=name) for name in values]
        a, b = placeholders[:2]
        op(op(a, b), a, name="y")
    c_graph = CGraph(graph.as_graph_def())
    first = c_graph.add_gradients("first", "y", "d_y", ["a", "b"])
    second = c_graph.add_gradients("second", first[0], "d_d_a", ["a", "b"])

    with tf.Graph().as_default() as graph:
        tf.import_graph_def(c_graph.graph_def(), name="")
        with tf.compat.v1.Session(graph=graph) as session:
            feed = {f"{name}:0": value for name, value in values.items()}
            got = session.run([f"{name}:0" for name in first + second], feed)
    a, b, d_y, d_d_a = values.values()
    expected = [2 * a * b * d_y, a * a * d_y, 2 * b * d_y * d_d_a, 2 * a * d_y * d_d_a]
    np.testing.assert_allclose(got, expected, rtol=1e-12)
