"""What a run has: threads, deterministic bits, memory of its own, buffers that it takes over."""

import concurrent.futures

import numpy as np
import pytest
import tensorflow as tf

CHILD = """
import hashlib, sys
import numpy as np
import tensorflow as tf

threads = int(sys.argv[3])
tf.config.threading.set_intra_op_parallelism_threads(threads)
m = tf.load_op_library(sys.argv[1])
core = tf.load_op_library(sys.argv[2])

noise = m.conformance_noise(np.int64([300001]), np.uint64(7))
# Of mixed sizes and signs: another order of summation gives other bits.
x = tf.cast((noise - 0.5) * 10.0 ** (8 * noise), tf.float32)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = m.conformance_prefix_sum(x) + core.opwright_element_mul(x, x)
    z = m.conformance_exp_mul(1e-8 * x, y) + m.conformance_weighted_sum([x, y], weights=[0.1, 0.3])
results = [noise, x, y, z, tape.gradient(z, x)]
print("bits", hashlib.sha256(b"".join(r.numpy().tobytes() for r in results)).hexdigest())
for run in (m.conformance_threads, tf.function(m.conformance_threads)):
    covered, used = run(64)
    assert np.all(covered == 1), covered
    print("threads", int(used))
"""


@pytest.fixture(scope="module")
def by_threads(run_child, conformance_path, core_path):
    """What the child says, as lists of words, for each number of intra-op threads."""

    def run(threads):
        output = run_child(CHILD, conformance_path, core_path, threads).stdout
        return [line.split() for line in output.splitlines()]

    return {threads: run(threads) for threads in (1, 2, 7)}


def said(lines, key):
    return [line[1] for line in lines if line[0] == key]


def test_same_bits_for_any_number_of_threads(by_threads):
    bits = {threads: said(lines, "bits") for threads, lines in by_threads.items()}
    assert bits[1] == bits[2] == bits[7] and len(bits[1]) == 1


@pytest.mark.parametrize("threads, fewest, most", [(1, 1, 1), (2, 2, 3), (7, 4, 8)])
def test_loops_run_on_the_intra_op_pool(by_threads, threads, fewest, most):
    """The caller may take part; and on a busy machine not every thread comes in time."""
    for used in said(by_threads[threads], "threads"):
        assert fewest <= int(used) <= most


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000])
def test_loop_covers_each_element_once(conformance, n):
    covered, threads = conformance.conformance_threads(n)
    np.testing.assert_array_equal(covered, np.ones(n))
    assert (threads > 0) == (n > 0)


def test_determinism_flag(run_child, conformance_path):
    code = """
import sys
import tensorflow as tf

m = tf.load_op_library(sys.argv[1])
graph = tf.function(m.conformance_deterministic)
print(bool(m.conformance_deterministic()), bool(graph()))
tf.config.experimental.enable_op_determinism()
print(bool(m.conformance_deterministic()), bool(graph()))
"""
    assert run_child(code, conformance_path).stdout.split() == ["False"] * 2 + ["True"] * 2


def test_same_seed_same_bits(conformance):
    def noise(shape, seed):
        return conformance.conformance_noise(np.int64(shape), np.uint64(seed)).numpy()

    first = noise([1000], 1)
    np.testing.assert_array_equal(first, noise([1000], 1))
    np.testing.assert_array_equal(first[:10], noise([2, 5], 1).reshape(-1))
    assert not np.any(first == noise([1000], 2))
    assert 0 <= first.min() < 0.02 and 0.98 < first.max() < 1


@pytest.mark.parametrize("kept", [False, True])
def test_output_takes_over_a_dying_input(conformance, kept):
    @tf.function
    def run(x):
        temporary = tf.sin(x)
        y, shared = conformance.conformance_negate(temporary)
        return y, shared, temporary if kept else x

    x = tf.linspace(0.0, 1.0, 1000)
    y, shared, other = run(x)
    assert int(shared) == (0 if kept else 1)
    np.testing.assert_allclose(y, -np.sin(x), rtol=1e-6)
    np.testing.assert_allclose(other, np.sin(x) if kept else x, rtol=1e-6)


def test_arguments_and_variables_are_not_taken_over(conformance):
    x = tf.constant([1.0, 2.0])
    variable = tf.Variable(x)
    for run in (conformance.conformance_negate, tf.function(conformance.conformance_negate)):
        for argument in (x, variable):
            y, shared = run(argument)
            assert int(shared) == 0
            np.testing.assert_array_equal(y, [-1, -2])
            np.testing.assert_array_equal(argument, [1, 2])


def test_runs_at_once_have_their_own_scratch(conformance, rng):
    inputs = [rng.normal(size=20_000 + 1000 * i) for i in range(8)]
    expected = [np.cumsum(x) for x in inputs]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            results = pool.map(conformance.conformance_prefix_sum, inputs)
            for result, wanted in zip(results, expected):
                np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)


def test_stateful_op_is_neither_merged_nor_folded(conformance):
    @tf.function
    def run(a, b):
        first = conformance.conformance_take_count()
        with tf.control_dependencies([first]):
            y = conformance.conformance_counted_exp_mul(a, b)
        with tf.control_dependencies([y]):
            second = conformance.conformance_take_count()
        with tf.control_dependencies([second]):
            return second, conformance.conformance_take_count(), y

    for _ in range(3):
        second, third, _ = run(tf.ones([2]), tf.ones([2]))
        assert (int(second), int(third)) == (1, 0)


def test_a_loop_inside_a_loop(conformance):
    n = np.int64([1, 0, 3, 100_000] * 16)
    np.testing.assert_array_equal(conformance.conformance_nested(n), n)
