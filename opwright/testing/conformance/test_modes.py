"""Every conformance op against NumPy: eagerly, in graphs, compiled by XLA, in a SavedModel."""

import math

import numpy as np
import pytest
import tensorflow as tf

# Case: the op's call, its inputs, what must come out, tensor by tensor.
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex64 complex128"
).split()
F64 = np.float64
X = np.array([[1.5, -2.0, 0.0], [-0.25, 4.0, 3.0]])
ROW = np.array([1.0, -2.0, 3.0])
Z = np.array([1 + 2j, -0.5j, 3.0])
W = np.array([2 - 1j, 4.0, 1j])


def noise(seed, n):
    """SplitMix64, as Python's integers compute it."""
    mask = 2**64 - 1
    values = []
    for i in range(n):
        z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        values.append(((z ^ (z >> 31)) >> 11) / 2.0**53)
    return np.array(values)


def fingerprint(values):
    total = 1.0
    for x in values:
        total = math.fmod(total * 31 + 4 * x, 65521)
    return total


# integer 1, real 0.5, boolean true, a text of length 1: 't', DT_FLOAT, an unknown rank.
DEFAULT_FINGERPRINT = fingerprint([1, 0.5, 1, 1, ord("t"), 1, -1])


def of(dtype, values):
    """Values that every dtype has: bool, unsigned and complex too."""
    return tf.cast(tf.constant(values), dtype)


CASES = {
    "split_sign": (
        lambda m, x: m.conformance_split_sign(x),
        [X],
        [np.maximum(X, 0), np.maximum(-X, 0), np.sign(X).astype(np.int8)],
    ),
    "gate": (
        lambda m, s, x: m.conformance_gate(s, x, open_at=-1),
        [np.sign(X).astype(np.int8), X],
        [np.where(X < 0, X, 0)],
    ),
    "weighted_sum": (
        lambda m, a, b, c: m.conformance_weighted_sum([a, b, c], weights=[1, -2, 0.5]),
        [X, X * X, X + 1],
        [X - 2 * X * X + 0.5 * (X + 1)],
    ),
    "spread": (
        lambda m, x: m.conformance_spread(x, N=3, weights=[1, -2, 0.5]),
        [X],
        [X, -2 * X, 0.5 * X],
    ),
    "mixed": (
        lambda m, *xs: m.conformance_mixed(xs),
        [np.float32([1, 2]), F64(3.5), np.int32([[4]]), np.array([True]), np.complex64([])],
        [
            *(np.float32([1, 2]), F64(3.5), np.int32([[4]]), np.array([True]), np.complex64([])),
            np.int32(
                [t.as_datatype_enum for t in (tf.float32, tf.float64, tf.int32, tf.bool)] + [8]
            ),
            np.int64([2, 1, 1, 1, 0]),
        ],
    ),
    "mixed_of_none": (
        lambda m: m.conformance_mixed([]),
        [],
        [np.zeros(0, np.int32), np.zeros(0, np.int64)],
    ),
    "affine": (
        lambda m, x, b: m.conformance_affine(x, [b], scale=3),
        [X, ROW],
        [3 * X + ROW],
    ),
    "affine_without_bias": (
        lambda m, x: m.conformance_affine(x, [], scale=3),
        [X],
        [3 * X],
    ),
    "masked_sum": (
        lambda m, x, mask: m.conformance_masked_sum(x, [mask]),
        [X, X > 0],
        [F64(X[X > 0].sum())],
    ),
    "masked_sum_without_mask": (lambda m, x: m.conformance_masked_sum(x, []), [X], [X.sum()]),
    "echo_one": (
        lambda m: m.conformance_echo_one(integer=-(2**40), text="ab", shape=[None, 2]),
        [],
        [
            *(np.int64(-(2**40)), F64(0.5), np.bool_(True), np.uint8([97, 98]), np.int32(14)),
            *(np.int32(2), np.int64([-1, 2]), np.frombuffer(b"closed", np.uint8)),
        ],
    ),
    "echo_lists": (
        lambda m: m.conformance_echo_lists(reals=[1.5, 2.5], dtypes=[tf.int8], shapes=[[3], []]),
        [],
        [
            *(np.int64([3, -4]), F64([1.5, 2.5]), np.array([True, False, True])),
            *(np.int64([1, 2]), np.frombuffer(b"abc", np.uint8), np.int32([6])),
            *(np.int32([1, 0]), np.int64([3])),
        ],
    ),
    "fill_int32": (
        lambda m, shape, v: m.conformance_fill(shape, v),
        [np.int32([2, 0, 3]), np.float32(7)],
        [np.full([2, 0, 3], 7, np.float32)],
    ),
    "fill_int64": (
        lambda m, shape, v: m.conformance_fill(shape, v),
        [np.int64([2, 3]), np.int32(-7)],
        [np.full([2, 3], -7, np.int32)],
    ),
    "fill_scalar": (
        lambda m, shape, v: m.conformance_fill(shape, v),
        [np.zeros(0, np.int32), F64(7)],
        [F64(7)],
    ),
    "sum_all": (lambda m, x: m.conformance_sum_all(x), [X], [X.sum()]),
    "stretch": (
        lambda m, x, f: m.conformance_stretch(x, f),
        [np.float32([1, 2, 3]), F64(2.5)],
        [np.float32([1, 1, 1, 2, 2, 3, 3, 3])],
    ),
    "repeat": (
        lambda m, x, times: m.conformance_repeat(x, times),
        [ROW, np.int64([2, 0, 3])],
        [np.repeat(ROW, [2, 0, 3])],
    ),
    "sum_runs": (
        lambda m, x, times: m.conformance_sum_runs(x, times),
        [np.arange(5.0), np.int64([2, 0, 3])],
        [F64([1, 0, 9])],
    ),
    "prefix_sum": (
        lambda m, x: m.conformance_prefix_sum(x),
        [np.arange(5000.0)],
        [np.cumsum(np.arange(5000.0))],
    ),
    "prefix_sum_reverse": (
        lambda m, x: m.conformance_prefix_sum(x, reverse=True),
        [np.arange(5000.0)],
        [np.cumsum(np.arange(5000.0)[::-1])[::-1]],
    ),
    "negate": (lambda m, x: m.conformance_negate(x)[:1], [X], [-X]),
    "scale": (
        # 0.1 in 32 bits would be seen.
        lambda m, x, f: m.conformance_scale(x, f),
        [X, F64(0.1)],
        [X * 0.1],
    ),
    "dot": (lambda m, a, b: m.conformance_dot(a, b), [X, X + 1], [(X * (X + 1)).sum()]),
    "noise": (
        lambda m, shape, seed: m.conformance_noise(shape, seed),
        [np.int64([2, 3]), np.uint64(2**64 - 5)],
        [noise(2**64 - 5, 6).reshape(2, 3)],
    ),
    "exp_mul": (
        lambda m, a, b: m.conformance_exp_mul(a, b, rate=-0.5),
        [X, X + 1],
        [np.exp(-0.5 * X) * (X + 1)],
    ),
    "counted_exp_mul": (
        lambda m, a, b: m.conformance_counted_exp_mul(a, b),
        [X, X + 1],
        [np.exp(X) * (X + 1)],
    ),
    "convert": (
        lambda m, x: m.conformance_convert(x),
        [np.int16([1, -300])],
        [F64([1, -300]), np.int32(82)],
    ),
    "convert_to_int32": (
        lambda m, x: m.conformance_convert(x, To=tf.int32),
        [np.float32([1.75, -2.5])],
        [np.int32([1, -2]), np.int32(44)],
    ),
    "conj_mul": (
        lambda m, a, b: m.conformance_conj_mul(a, b, scale=2),
        [Z, W],
        [2 * Z * np.conj(W)],
    ),
    "conj_mul_complex64": (
        lambda m, a, b: m.conformance_conj_mul(a, b),
        [Z.astype(np.complex64), W.astype(np.complex64)],
        [(Z * np.conj(W)).astype(np.complex64)],
    ),
    "fingerprint": (lambda m, x: m.conformance_fingerprint(x), [ROW], [ROW * DEFAULT_FINGERPRINT]),
    "fingerprint_of_others": (
        lambda m, x: m.conformance_fingerprint_of_others(x),
        [ROW],
        [ROW * DEFAULT_FINGERPRINT],
    ),
    "opaque": (lambda m, x: m.conformance_opaque(x), [X], [np.floor(X)]),
    "forgetful": (lambda m, a, b: m.conformance_forgetful(a, b), [X, X * X], [X + X * X]),
    "lookup": (
        lambda m, table, at: m.conformance_lookup(table, at),
        [ROW, F64([[0.4, 1.6]])],
        [F64([[1, 3]])],
    ),
    "throw_nowhere": (lambda m, x: m.conformance_throw(x, place="nowhere"), [X], [X]),
    "bad_shape_without_fault": (
        lambda m, x: m.conformance_bad_shape(x, fault="none"),
        [np.float32(X)],
        [np.zeros([2, 3], np.float32)] * 2,
    ),
    "misuse_without_fault": (
        lambda m, x: m.conformance_misuse(x, [], fault="none"),
        [np.float32(X)],
        [np.zeros([2, 3], np.float32)],
    ),
    "threads": (
        lambda m, n: m.conformance_threads(n)[:1],
        [np.int64(100)],
        [np.ones(100, np.int32)],
    ),
    "deterministic": (lambda m: m.conformance_deterministic(), [], [np.bool_(False)]),
    **{
        f"copy_{dtype}": (
            lambda m, x: m.conformance_copy(x),
            [of(dtype, [[0, 1, 3], [100, 1, 0]])],
            [of(dtype, [[0, 1, 3], [100, 1, 0]])],
        )
        for dtype in DTYPES
    },
    **{
        f"copy_{shape}": (
            lambda m, x: m.conformance_copy(x),
            [np.arange(np.prod(shape), dtype=np.float32).reshape(shape)],
            [np.arange(np.prod(shape), dtype=np.float32).reshape(shape)],
        )
        for shape in [(), (0,), (2, 0, 3), (1,) * 20]
    },
}

TOLERANCE = {tf.float32: 1e-6, tf.complex64: 1e-6, tf.float64: 1e-14, tf.complex128: 1e-14}


def inputs_of(case):
    return [tf.convert_to_tensor(x) for x in CASES[case][1]]


def flat(results):
    """The outputs of an op, lists among them, as one list."""
    if isinstance(results, (list, tuple)):
        return [tensor for part in results for tensor in flat(part)]
    return [results]


def check(case, results):
    expected = [tf.convert_to_tensor(x) for x in CASES[case][2]]
    assert len(results) == len(expected)
    for i, (result, wanted) in enumerate(zip(results, expected)):
        assert result.dtype == wanted.dtype, f"{case}, output {i}"
        assert result.shape == wanted.shape, f"{case}, output {i}"
        # Half types convert exactly to float32, in which NumPy compares.
        if wanted.dtype in (tf.float16, tf.bfloat16):
            result, wanted = tf.cast(result, tf.float32), tf.cast(wanted, tf.float32)
        np.testing.assert_allclose(
            result.numpy(),
            wanted.numpy(),
            rtol=TOLERANCE.get(wanted.dtype, 0),
            err_msg=f"{case}, output {i}",
        )


@pytest.mark.parametrize("case", CASES)
def test_eager(conformance, case):
    check(case, flat(CASES[case][0](conformance, *inputs_of(case))))


@pytest.mark.parametrize("case", CASES)
def test_graph(conformance, case):
    inputs = inputs_of(case)
    call = tf.function(lambda *xs: CASES[case][0](conformance, *xs))
    check(case, flat(call(*inputs)))


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1]])
def test_graph_of_unknown_shapes(conformance, case):
    inputs = inputs_of(case)
    signature = [tf.TensorSpec(None, x.dtype) for x in inputs]
    call = tf.function(lambda *xs: CASES[case][0](conformance, *xs), input_signature=signature)
    check(case, flat(call(*inputs)))


@pytest.mark.parametrize("case", CASES)
def test_jit(conformance, case):
    inputs = inputs_of(case)
    call = tf.function(lambda *xs: CASES[case][0](conformance, *xs), jit_compile=True)
    check(case, flat(call(*inputs)))


RELOAD = """
import sys
import tensorflow as tf

tf.load_op_library(sys.argv[1])
model = tf.saved_model.load(sys.argv[2])
for name in model.names.numpy():
    for i, result in enumerate(model.cases[name.decode()]()):
        tf.io.write_file(f"{sys.argv[2]}/{name.decode()}.{i}", tf.io.serialize_tensor(result))
"""


def test_saved_model(conformance, conformance_path, run_child, tmp_path):
    model = tf.Module()
    model.names = tf.Variable(list(CASES))
    # In variables, so that nothing can be computed while the model is saved or loaded.
    model.inputs = {case: [tf.Variable(x) for x in inputs_of(case)] for case in CASES}

    def caller(case):
        return tf.function(
            lambda: flat(
                CASES[case][0](conformance, *[x.read_value() for x in model.inputs[case]])
            ),
            input_signature=[],
        )

    model.cases = {case: caller(case) for case in CASES}
    tf.saved_model.save(model, str(tmp_path))
    run_child(RELOAD, conformance_path, tmp_path)
    for case, (_, _, expected) in CASES.items():
        results = [
            tf.io.parse_tensor(
                tf.io.read_file(f"{tmp_path}/{case}.{i}"), tf.convert_to_tensor(x).dtype
            )
            for i, x in enumerate(expected)
        ]
        check(case, results)


def test_in_loop_and_branch(conformance):
    @tf.function
    def run(x, n):
        for _ in tf.range(n):
            x = conformance.conformance_weighted_sum([x, tf.ones_like(x)], weights=[2, 1])
        return tf.cond(n > 2, lambda: conformance.conformance_negate(x).y, lambda: x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(run(x, tf.constant(2)), 4 * x + 3)
    np.testing.assert_array_equal(run(x, tf.constant(3)), -(8 * x + 7))


def test_high_rank(conformance):
    x = tf.reshape(tf.range(6), [2, 3] + [1] * 251)
    y = conformance.conformance_copy(x)
    assert y.shape == x.shape
    np.testing.assert_array_equal(tf.reshape(y, [6]), range(6))
