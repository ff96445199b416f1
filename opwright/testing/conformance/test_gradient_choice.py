"""Which gradients are computed, and what is said where there is none."""

import numpy as np
import pytest
import tensorflow as tf

X = tf.constant([0.5, -1.0, 2.0], tf.float64)
Y = tf.constant([1.0, 2.0, 3.0], tf.float64)
NO_GRADIENT = r"Conformance>Opaque.*floor is flat almost everywhere"


def runs(conformance):
    """Runs of the expensive op since the last call of this."""
    return int(conformance.conformance_take_count())


@pytest.mark.parametrize("watched, expected", [((0,), 0), ((1,), 1), ((0, 1), 1)])
def test_eagerly_only_what_is_watched(conformance, watched, expected):
    runs(conformance)
    inputs = [X, Y]
    sources = [inputs[i] for i in watched]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        z = conformance.conformance_exp_mul(*inputs)
    assert runs(conformance) == 0
    results = tape.gradient(z, sources)
    assert runs(conformance) == expected
    by_input = [np.exp(X) * Y, np.exp(X)]
    for i, result in zip(watched, results):
        np.testing.assert_allclose(result, by_input[i], rtol=1e-14)


@pytest.mark.parametrize("way", ["tape", "gradients"])
@pytest.mark.parametrize("source, expected", [(0, 0), (1, 1)])
def test_graphs_are_pruned(conformance, way, source, expected):
    @tf.function
    def gradient(*inputs):
        if way == "gradients":
            return tf.gradients(conformance.conformance_exp_mul(*inputs), [inputs[source]])
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            z = conformance.conformance_exp_mul(*inputs)
        return tape.gradient(z, [inputs[source]])

    runs(conformance)
    (result,) = gradient(X, Y)
    assert runs(conformance) == expected
    np.testing.assert_allclose(result, [np.exp(X) * Y, np.exp(X)][source], rtol=1e-14)


def test_plan_is_kept_for_each_need(conformance):
    """The same op with the same attributes, differentiated in turn by one input and the other."""
    runs(conformance)
    for expected, source in [(0, X), (1, Y), (0, X), (1, Y)]:
        with tf.GradientTape() as tape:
            tape.watch(source)
            z = conformance.conformance_exp_mul(X, Y, rate=0.25)
        factor = 0.25 * Y if source is X else 1
        np.testing.assert_allclose(tape.gradient(z, source), np.exp(0.25 * X) * factor, rtol=1e-14)
        assert runs(conformance) == expected


def test_no_gradient_on_a_tape(conformance):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = conformance.conformance_opaque(X)
    with pytest.raises(LookupError, match=NO_GRADIENT):
        tape.gradient(y, X)


def test_no_gradient_in_graphs(conformance):
    @tf.function
    def symbolic(x):
        return tf.gradients(conformance.conformance_opaque(x), [x])

    @tf.function
    def taped(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = conformance.conformance_opaque(x)
        return tape.gradient(y, x)

    for function in (symbolic, taped):
        # A LookupError, which AutoGraph wraps into an exception of its own.
        with pytest.raises(Exception, match=NO_GRADIENT):
            function(X)


def test_op_without_gradient_off_the_path(conformance):
    """Nobody asks for its gradient, so nobody hears of it."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * tf.stop_gradient(conformance.conformance_opaque(X))
    np.testing.assert_array_equal(tape.gradient(y, X), np.floor(X))


def test_forgotten_input(conformance):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([X, Y])
        z = conformance.conformance_forgetful(X, Y)
    with pytest.raises(tf.errors.InternalError, match=r"Gradient does not set d_input\(1\) \(b\)"):
        tape.gradient(z, [X, Y])


def test_forgotten_input_that_nobody_needs(conformance):
    with tf.GradientTape() as tape:
        tape.watch(X)
        z = conformance.conformance_forgetful(X, Y)
    np.testing.assert_array_equal(tape.gradient(z, X), [1, 1, 1])


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_input_without_gradient(conformance, graph):
    def gradient(table, position):
        with tf.GradientTape() as tape:
            tape.watch([table, position])
            y = conformance.conformance_lookup(table, position)
        d_table, d_position = tape.gradient(y, [table, position])
        assert d_position is None
        return d_table

    position = tf.constant([2.1, 0.3, 1.9], tf.float64)
    result = (tf.function(gradient) if graph else gradient)(X, position)
    np.testing.assert_array_equal(result, [1, 0, 2])


def test_gradient_that_throws(conformance):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = conformance.conformance_throw(X, place="gradient", what="out_of_range")
    with pytest.raises(tf.errors.OutOfRangeError, match="an out_of_range with number 5"):
        tape.gradient(y, X)


def test_integer_inputs_and_outputs_have_none(conformance):
    x = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(X)
        sign = conformance.conformance_split_sign(X).sign
        y = tf.cast(conformance.conformance_copy(x), tf.float64) + tf.cast(sign[:2], tf.float64)
    assert tape.gradient(y, X) is None


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("shape", "that of input tensor 1 is float64 (2, 2), the input float64 (2,)"),
        ("dtype", "that of input tensor 1 is float32 (2,), the input float64 (2,)"),
        ("result", "a tensor that does not exist: result 7 of Mul, which has 1"),
    ],
)
def test_a_gradient_that_cannot_be_one(conformance, fault, sentence, graph):
    x, gain = tf.ones([2, 2], tf.float64), tf.ones([2], tf.float64)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(gain)
            y = conformance.conformance_careless(x, gain, fault=fault)
        return tape.gradient(y, gain)

    with pytest.raises(tf.errors.InternalError) as error:
        (tf.function(run) if graph else run)()
    assert "Conformance>Careless" in str(error.value) and sentence in str(error.value)


def test_a_variable_of_tensorflow_1(run_child, conformance_path):
    """Its dtype is a reference to the dtype that its gradient has."""
    code = """
import sys
import numpy as np
import tensorflow as tf

m = tf.load_op_library(sys.argv[1])
tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.get_variable("x", initializer=np.float64([2, 3]), use_resource=False)
    (d_x,) = tf.gradients(m.conformance_exp_mul(x, x, rate=0.0), [x])
    session.run(tf1.global_variables_initializer())
    print(*session.run(d_x))
"""
    assert run_child(code, conformance_path).stdout.split() == ["1.0", "1.0"]
