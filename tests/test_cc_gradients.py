"""Gradients in TensorFlow's C++ are those of its Python: the same numbers, the same sentences."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import tensorflow as tf

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "tests" / "cc_gradients"
TEST_GRADIENTS = ROOT / "opwright" / "testing" / "conformance" / "test_gradients.py"
INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL = 3, 5, 11, 12, 13

CHILD = """
import sys

sys.path.insert(0, sys.argv[1])
import compare

compare.main(*sys.argv[2:])
"""

# The names that compare.py gives to what it compares.
DIFFERENTIABLE = [
    *"split_sign gate weighted_sum spread spread_in_part mixed affine affine_without_bias".split(),
    *"masked_sum fill sum_all repeat sum_runs prefix_sum prefix_sum_reverse negate".split(),
    *"scale dot exp_mul counted_exp_mul conj_mul lookup throw_nowhere copy".split(),
    *"split_sign_first_output split_sign_second_output none integers_for_floats".split(),
]
# Those whose gradient calls an op that has itself no gradient in TensorFlow's C++, or another one.
ONCE_DIFFERENTIABLE = {"masked_sum_without_mask": "OnesLike", "integer_for_float": None}
NO_SUCH_RESULT = "Gradient uses a tensor that does not exist: result 2 of Split, which has 2"
# What Python says in the same words, and the code that comes with it.
FAULTS = {
    "opaque": (UNIMPLEMENTED, "Conformance>Opaque has no gradient: floor is flat almost everywh"),
    "forgetful": (INTERNAL, "Gradient does not set d_input(1) (b); set it, or say NoGradient(1)"),
    "throws": (OUT_OF_RANGE, "gradient of Conformance>Throw: an out_of_range with number 5"),
    "careless_shape": (INTERNAL, "tensor 1 is float64 (2, 2), the input float64 (2,); in Gradi"),
    "careless_partly_known_shape": (INTERNAL, "1 is float64 (None, 2), the input float64 (None,"),
    "careless_dtype": (INTERNAL, "that of input tensor 1 is float32 (2,), the input float64 (2,)"),
    "careless_result": (INTERNAL, "tensor that does not exist: result 7 of Mul, which has 1"),
    "no_such_result": (INTERNAL, NO_SUCH_RESULT),
    "no_such_result_at_the_end": (INTERNAL, NO_SUCH_RESULT),
    "attribute_of_other_kind": (
        INTERNAL,
        "Gradient calls Split with 2.5 for its attribute num_split, which is of kind int",
    ),
    "integer_d_output": (
        INTERNAL,
        "gradient of CcGradients>Faults: output 2 is int32, which has no gradient; "
        "Gradient must not ask for its d_output",
    ),
}
# What each of the two says in its own.
CC_FAULTS = {
    "bad_call": (INVALID_ARGUMENT, "its call of Mul: Dimensions must be equal, but are 2 and 7"),
    "wrong_dtype_in_call": (INVALID_ARGUMENT, "its call of Mul: Inconsistent values for attr 'T'"),
    "wrong_dx": (
        INVALID_ARGUMENT,
        "the gradient of output 0 is given as float32, the output is float64; "
        "give dx of TF_AddGradients the dtype of y",
    ),
}


@pytest.fixture(scope="module")
def answers(bare_compile, conformance_path, run_child, tmp_path_factory):
    """By case: what Python says ("python"), what C++ says ("cc"), and then the op itself."""
    seed = os.environ.get("OPWRIGHT_SEED") or int.from_bytes(os.urandom(4), "little")
    print(f"to replicate: OPWRIGHT_SEED={seed}")
    source = (HERE / "faults.cc").read_text()
    faults = bare_compile(tmp_path_factory.mktemp("faults"), "libfaults.so", source)
    child = run_child(CHILD, HERE, TEST_GRADIENTS, conformance_path, faults, seed)
    return {line["case"]: line for line in map(json.loads, child.stdout.splitlines())}


def test_every_case_has_a_test(answers):
    assert set(answers) == {*DIFFERENTIABLE, *ONCE_DIFFERENTIABLE, *FAULTS, *CC_FAULTS}


def assert_equal(ours, theirs):
    assert [x is None for x in ours] == [x is None for x in theirs]
    for our, their in zip(ours, theirs):
        if our is not None:
            assert our["shape"] == their["shape"]
            np.testing.assert_allclose(our["values"], their["values"], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("case", DIFFERENTIABLE)
def test_first_and_second_order(answers, case):
    first, second = answers[case]["cc"]
    assert any(first) and any(second)
    assert_equal(first, answers[case]["python"][0])
    assert_equal(second, answers[case]["python"][1])


@pytest.mark.parametrize("case", ONCE_DIFFERENTIABLE)
def test_first_order_alone(answers, case):
    first, second = answers[case]["cc"]
    assert any(first)
    assert_equal(first, answers[case]["python"][0])
    op = ONCE_DIFFERENTIABLE[case]
    if op:
        assert second["code"] == NOT_FOUND
        assert f"No gradient defined for op: {op}" in second["message"]


@pytest.mark.parametrize("case", FAULTS)
def test_what_both_say(answers, case):
    code, sentence = FAULTS[case]
    (failure,), (in_python,) = answers[case]["cc"], answers[case]["python"]
    assert failure["code"] == code
    assert sentence in failure["message"]
    assert failure["message"] == in_python["message"]
    assert in_python.get("code", code) == code


@pytest.mark.parametrize("case", CC_FAULTS)
def test_what_only_cc_says(answers, case):
    code, sentence = CC_FAULTS[case]
    (failure,) = answers[case]["cc"]
    assert failure["code"] == code
    assert failure["message"].startswith("gradient of CcGradients>Faults: ")
    assert sentence in failure["message"]


@pytest.mark.parametrize("case", [*FAULTS, *CC_FAULTS])
def test_the_graph_is_still_good(answers, case):
    """After a gradient that failed, it can be written out, read again, and run."""
    (forward,) = answers[case]["forward"]
    assert isinstance(forward, list) and any(forward)


@pytest.fixture(scope="module")
def symbolic(tmp_path_factory):
    """The program that calls AddSymbolicGradients, for this TensorFlow."""
    folder = pathlib.Path(tf.__file__).parent
    minor = tf.__version__.split(".")[1]
    flags = []
    for line in (ROOT / "opwright" / "bridge" / "flags.txt").read_text().splitlines():
        if line.startswith("-"):
            bridge = ROOT / "opwright" / "bridge"
            flags.append(line.format(include=folder / "include", bridge=bridge, minor=minor))
    output = tmp_path_factory.mktemp("symbolic")
    compile_ = ["ccache", "g++", "-std=c++17", *flags, "-c", str(HERE / "symbolic.cc")]
    subprocess.run([*compile_, "-o", str(output / "symbolic.o")], check=True, timeout=280)
    link = ["g++", str(output / "symbolic.o"), "-o", str(output / "symbolic")]
    link += [f"-L{folder}", "-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2"]
    subprocess.run([*link, f"-Wl,-rpath,{folder}"], check=True, timeout=60)
    return output / "symbolic"


def test_add_symbolic_gradients(symbolic, conformance_path):
    """Twice of y = exp(-a / 2) b, the second time of d_a + d_b; and once of max(a, 0)."""
    result = subprocess.run(
        [symbolic, conformance_path], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr[-4000:]
    lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    ways = {"TF_AddGradients", "AddSymbolicGradients", "GradOpRegistry"}
    assert set(lines) == {*ways, "nodes"}, result.stdout
    assert int(lines["nodes"]) >= 8
    a, b = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -3.0])
    e = np.exp(-a / 2)
    expected = np.concatenate([-e * b / 2, e, e * b / 4 - e / 2, -e / 2])
    for way in ("TF_AddGradients", "AddSymbolicGradients"):
        values = np.array(lines[way].split(), np.float64)
        np.testing.assert_allclose(values, expected, rtol=1e-13)
    assert lines["GradOpRegistry"] == "1 0 1 1 0 1"
