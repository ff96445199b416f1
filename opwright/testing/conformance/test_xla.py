"""Ops in programs that XLA compiles: control flow, constants, state, and what has no answer there.

That each op gives the right numbers under jit is in test_modes.py and test_gradients.py; bad inputs
are in tests/test_bad_inputs.py.
"""

import concurrent.futures
import json
import re

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import kernels as registered

MINOR = int(tf.__version__.split(".")[1])


def jit(function, **options):
    return tf.function(function, jit_compile=True, autograph=False, **options)


X = np.array([1.5, -2.0, 0.25])


def test_while(conformance):
    def run(x):
        def body(i, x):
            return i + 1, conformance.conformance_weighted_sum([x, x * x], weights=[2, 1])

        return tf.while_loop(lambda i, _: i < 3, body, [0, x])[1]

    expected = X
    for _ in range(3):
        expected = 2 * expected + expected**2
    np.testing.assert_allclose(jit(run)(X), expected, rtol=1e-14)


@pytest.mark.parametrize("taken", [True, False])
def test_cond(conformance, taken):
    def run(x, flag):
        return tf.cond(flag, lambda: conformance.conformance_negate(x).y, lambda: x)

    np.testing.assert_array_equal(jit(run)(X, tf.constant(taken)), -X if taken else X)


def test_vectorized_map(conformance):
    rows = np.arange(6.0).reshape(3, 2)

    def run(x):
        return tf.vectorized_map(lambda row: conformance.conformance_dot(row, row), x)

    np.testing.assert_array_equal(jit(run)(rows), (rows**2).sum(1))


def test_variable(conformance):
    variable = tf.Variable(X)

    def update(x):
        variable.assign(conformance.conformance_weighted_sum([variable, x], weights=[1, 1]))
        return variable.read_value()

    step = jit(update)
    for times in (2, 3, 4):
        np.testing.assert_array_equal(step(tf.constant(X)), times * X)


def test_buffers_are_never_taken_over(conformance):
    def run(x):
        temporary = tf.sin(x)
        y, shared = conformance.conformance_negate(temporary)
        return y, shared, temporary

    y, shared, temporary = jit(run)(X)
    assert int(shared) == 0
    np.testing.assert_array_equal(y, -temporary)


@pytest.mark.parametrize(
    "shape",
    [
        lambda x: tf.constant([2, 3]),
        lambda x: tf.shape(x),
        lambda x: tf.shape(x) * 2,
        lambda x: tf.stack([tf.size(x), 1]),
        lambda x: tf.cast(tf.constant([2.0, 3.0]), tf.int64),
    ],
    ids=["literal", "shape of", "twice the shape", "stacked", "computed"],
)
def test_values_that_shape_the_output(conformance, shape):
    x = tf.zeros([2, 5])
    filled = jit(lambda x: conformance.conformance_fill(shape(x), 7.0) + 1)(x)
    np.testing.assert_array_equal(filled, np.full(shape(x), 8.0))


def test_arguments_that_shape_the_output(conformance):
    """XLA compiles once for each value."""
    fill = jit(lambda n: conformance.conformance_fill(tf.cast(n, tf.int32), 7.0))
    for n in ([2.0, 3.0], [4.0], [], [0.0, 2.0]):
        np.testing.assert_array_equal(fill(tf.constant(n)), np.full(np.int32(n), 7.0))


def test_value_that_only_a_run_tells(conformance):
    def run(x):
        def body(n, x):
            return n + 1, x + tf.reduce_sum(conformance.conformance_fill([n], 1.0))

        return tf.while_loop(lambda n, _: n < tf.cast(x, tf.int32), body, [0, 0.0])[1]

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="input shape shapes the output, so XLA must"
    ):
        jit(run)(tf.constant(3.0))


def test_value_that_another_op_computes(conformance):
    def run(x):
        shape = conformance.conformance_copy(tf.cast([x, x + 1], tf.int32))
        return conformance.conformance_fill(shape, x)

    np.testing.assert_array_equal(tf.function(run)(tf.constant(2.0)), np.full([2, 3], 2))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        jit(run)(tf.constant(2.0))
    assert "Conformance>Fill: the value of input shape shapes the output" in str(caught.value)


def test_size_that_only_a_run_tells(conformance):
    def run(x):
        return conformance.conformance_sum_all(tf.boolean_mask(x, x > 0))

    np.testing.assert_array_equal(tf.function(run)(X), 1.75)
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        jit(run)(X)
    assert re.search(
        r"SumAll: input x has a size that is known only at run time \(.*<=3", str(caught.value)
    )
    assert "call the op outside of jit_compile=True" in str(caught.value)


@pytest.mark.parametrize("place", ["constructor", "shape", "shape_of_run", "compute", "parallel"])
def test_error(conformance, place):
    """The older interface of XLA, up to TensorFlow 2.19, has one code for all errors of a run."""
    in_run = place in ("compute", "parallel")
    kind = tf.errors.InternalError if in_run and MINOR < 20 else tf.errors.NotFoundError
    with pytest.raises(kind) as caught:
        jit(lambda x: conformance.conformance_throw(x, place=place, what="not_found"))(X)
    # The other places throw while the graph is built.
    where = r" \(x: double \[3\]\)" if in_run or place == "shape_of_run" else ""
    assert re.search(f"Conformance>Throw{where}: an not_found with number", str(caught.value))
    if in_run and MINOR < 20:
        assert "NOT_FOUND: " in str(caught.value)


def test_programs_that_go_on_after_an_error(conformance):
    throw = jit(lambda x, y: conformance.conformance_throw(x, place="compute") + y)
    for _ in range(3):
        with pytest.raises(tf.errors.OpError, match="with number 4"):
            throw(X, X)
        np.testing.assert_array_equal(jit(lambda x: conformance.conformance_copy(x))(X), X)


def test_like_calls_have_like_text(conformance):
    """So that XLA can merge them, and find the program again on disk."""

    def run(x):
        return conformance.conformance_scale(x, 2.0) + conformance.conformance_scale(x, 3.0)

    programs = [
        jit(run).experimental_get_compiler_ir(tf.constant(X))(stage="hlo") for _ in range(2)
    ]
    target = r'custom_call_target="opwright_call".*?(?=, metadata)'
    calls = [re.findall(target, program) for program in programs]
    assert len(calls[0]) == 2
    assert calls[0] == calls[1]
    assert calls[0][0] == calls[0][1]


def test_equal_calls_are_merged_and_stateful_ones_are_not(conformance):
    def pure(x):
        y = conformance.conformance_counted_exp_mul(x, x)
        z = conformance.conformance_counted_exp_mul(x, x)
        return y + z

    def stateful():
        return conformance.conformance_take_count(), conformance.conformance_take_count()

    conformance.conformance_take_count()
    jit(pure)(X)
    # One of the two, whichever XLA runs first, takes the count that the one merged call left.
    assert sorted(int(n) for n in jit(stateful)()) == [0, 1]


def test_calls_at_once(conformance, rng):
    run = jit(lambda x: conformance.conformance_prefix_sum(x))
    x = rng.normal(size=50_000)
    expected = run(x).numpy()
    np.testing.assert_allclose(expected, np.cumsum(x), rtol=1e-9, atol=1e-9)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: run(x).numpy(), range(40)):
            np.testing.assert_array_equal(result, expected)


def test_a_loop_inside_a_loop(conformance):
    n = np.int64([1, 0, 3, 100_000] * 16)
    np.testing.assert_array_equal(jit(lambda n: conformance.conformance_nested(n))(n), n)


def test_loops_in_all_threads_of_the_pool(conformance):
    """XLA may call on the pool's own threads, where a loop that waits for others stands still."""

    def run(x):
        return [conformance.conformance_prefix_sum(x + i) for i in range(16)]

    x = np.ones(300_000)
    for i, result in enumerate(jit(run)(x)):
        np.testing.assert_array_equal(result[-1], x.size * (i + 1.0))


def test_registered_where_a_program_can_call_the_op(conformance):
    """For programs of a GPU there is nothing to call, and TensorFlow says that it has no kernel."""
    kernels = registered.get_registered_kernels_for_op("Conformance>Copy").kernel
    assert {kernel.device_type for kernel in kernels} == {"CPU", "XLA_CPU_JIT"}


THREADS = """
import json, sys
import numpy as np
import tensorflow as tf

threads = int(sys.argv[2])
tf.config.threading.set_intra_op_parallelism_threads(threads)
m = tf.load_op_library(sys.argv[1])
jit = lambda f: tf.function(f, jit_compile=True, autograph=False)
covered, used = jit(m.conformance_threads)(tf.constant(64, tf.int64))
assert np.all(covered == 1), covered
x = tf.cast(np.random.default_rng(1).normal(size=300_001) * 1e5, tf.float32)
eager, compiled = (f(x).numpy().tobytes().hex() for f in (
    m.conformance_prefix_sum, jit(lambda x: m.conformance_prefix_sum(x))))
print(json.dumps([int(used), eager == compiled]))
"""


@pytest.mark.parametrize("threads, fewest, most", [(1, 1, 1), (2, 2, 2), (7, 3, 7)])
def test_loops_run_on_the_intra_op_pool(run_child, conformance_path, threads, fewest, most):
    used, same_bits = json.loads(run_child(THREADS, conformance_path, threads).stdout)
    assert fewest <= used <= most
    assert same_bits
