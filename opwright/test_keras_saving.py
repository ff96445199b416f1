"""What opwright.keras.Op saves and finds again, and what it refuses."""

import json

import numpy as np
import pytest
import tensorflow as tf

import opwright
from opwright.keras import Op


def round_trip(layer):
    return Op.from_config(json.loads(json.dumps(layer.get_config())))


def test_arguments_of_every_kind(conformance):
    one = {
        "integer": np.int64(-(2**62)),
        "real": np.float32(0.1),
        "boolean": False,
        "text": b"\xff\x00",
        "dtype": tf.complex64,  # the op's, which has an attribute of this name
        "shape": tf.TensorShape([2, None]),
        "mode": "open",
    }
    lists = {
        "integers": [1, 2**40],
        "reals": (0.5, 1e-30),
        "booleans": [],
        "texts": ["é", b"\x01"],
        "dtypes": [tf.float32, "int8"],
        "shapes": [tf.TensorShape(None), [1, 2]],
    }
    for function, arguments in (
        (conformance.conformance_echo_one, one),
        (conformance.conformance_echo_lists, lists),
    ):
        layer = Op(function, **arguments, name="echo")
        assert layer.name == "echo"
        expected = function(**arguments)
        for result in (layer(), round_trip(layer)()):
            for part, wanted in zip(result, expected):
                np.testing.assert_array_equal(part, wanted)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "int64", "complex64", "bool"])
def test_arrays_as_arguments(dtype):
    array = tf.cast([[1, 0, 3]], dtype).numpy()
    layer = round_trip(Op(opwright.element_mul, b=array))
    held = layer._applied.arguments["b"]
    assert (held.dtype, held.tobytes()) == (array.dtype, array.tobytes())


def test_arguments_are_those_of_the_beginning():
    weights = [np.float32([1, 2])]
    layer = Op(opwright.element_mul, b=weights[0])
    weights[0][0] = 7
    np.testing.assert_array_equal(layer(tf.ones(2)), [1, 2])


@pytest.mark.parametrize("source", ["package", "load", "plain"])
def test_the_function_is_found_again(core, core_path, source):
    function, identity = {
        "package": (opwright.element_mul, {"opwright": "opwright.element_mul"}),
        "load": (
            opwright.load(core_path).opwright_element_mul,
            {"op": "Opwright>ElementMul", "library": "libopwright_core.so"},
        ),
        "plain": (core.opwright_element_mul, {"op": "Opwright>ElementMul", "library": None}),
    }[source]
    layer = Op(function, trainable=False, dtype="float64")
    config = layer.get_config()
    assert config["function"] == identity
    again = round_trip(layer)
    assert (again.name, again.trainable, again.compute_dtype) == (layer.name, False, "float64")
    if source != "plain":  # which is found in what opwright.load has opened, if it has
        assert again.get_config() == config
    np.testing.assert_array_equal(again(tf.ones(2), [3.0, 4.0] * tf.ones(2)), [3, 4])


def test_repr(conformance):
    affine = Op(conformance.conformance_affine, scale=2.0, bias=[])
    assert repr(affine) == "Op(conformance_affine, scale=2.0, bias=[], name='conformance_affine')"


@tf.keras.utils.register_keras_serializable(package="opwright_test")
def scaled_product(a, b, scale=1.0):
    return scale * opwright.element_mul(a, b)


def test_a_registered_function():
    layer = Op(scaled_product, scale=3.0)
    assert layer.get_config()["function"] == {"registered": "opwright_test>scaled_product"}
    np.testing.assert_array_equal(round_trip(layer)(tf.ones(2), tf.ones(2)), [3, 3])


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda f, x: Op(f.conformance_affine, scael=2.0), "no parameter 'scael'; it has x, bias,"),
        (lambda f, x: Op(f.conformance_affine, scale=x), "argument scale of conformance_affine"),
        (lambda f, x: Op(f.conformance_affine, bias=[x]), "cannot be saved with the layer"),
        (lambda f, x: Op(f.conformance_affine)(x, scale=2.0), "called with 2.0 for scale"),
        (lambda f, x: Op(f.conformance_affine)(x), "conformance_affine needs bias"),
        (lambda f, x: Op(f.conformance_affine, bias=[])(x, bias=[]), "is given bias twice"),
        (lambda f, x: Op(f.conformance_affine)(x, x=x, bias=[]), "is given x twice"),
        (lambda f, x: Op(f.conformance_affine)(x, [], x, x), "with 4 tensors, it takes 3: x, bias"),
        (lambda f, x: Op(f.conformance_affine)({"y": x}), "has no parameter 'y'"),
        (lambda f, x: Op(lambda *tensors: tensors), "is not a function whose parameters all have"),
        (lambda f, x: Op(print), "is not a function whose parameters all have"),
    ],
)
def test_what_is_not_an_argument(conformance, make, said):
    with pytest.raises(TypeError) as error:
        make(conformance, tf.ones((2, 3)))
    assert said in str(error.value)


@pytest.mark.parametrize("function", [lambda a: a, tf.nn.relu, tf.io.write_file])
def test_a_function_without_a_name_is_not_saved(function):
    with pytest.raises(ValueError, match="register_keras_serializable"):
        Op(function).get_config()


@pytest.mark.parametrize(
    "name",
    [
        "opwright.load",
        "opwright._library.load",
        "opwright.keras.Op",
        "opwright.keras.tf",
        "opwright.versions",
        "opwright.absent.element_mul",
        "opwright.bridge.gradients.load",
        "opwright.ops.element_mul._library",
        "opwright.test_keras.scaled_product",
        "os.system",
        "",
    ],
)
def test_a_model_names_only_ops_of_the_package(name):
    config = Op(opwright.element_mul).get_config()
    with pytest.raises(ValueError, match="this opwright has no op"):
        Op.from_config({**config, "function": {"opwright": name}})


@pytest.mark.parametrize("name", ["WriteFile", "Conformance>Absent", ""])
def test_a_model_names_only_ops_of_open_libraries(conformance, name):
    config = Op(conformance.conformance_affine).get_config()
    with pytest.raises(ValueError, match="open its library with opwright.load before"):
        Op.from_config({**config, "function": {"op": name, "library": None}})


def test_a_function_that_is_not_registered():
    config = Op(scaled_product).get_config()
    with pytest.raises(ValueError, match="no function opwright_test>absent is registered"):
        Op.from_config({**config, "function": {"registered": "opwright_test>absent"}})


LOAD_WITHOUT_THE_LIBRARY = """
import sys
import tensorflow as tf
import opwright.keras

try:
    tf.keras.models.load_model(sys.argv[1])
except Exception as error:
    print(error)
assert "libopwright" not in open("/proc/self/maps").read()
"""


def test_the_library_of_a_model_is_not_open(conformance_path, run_child, tmp_path):
    affine = opwright.load(conformance_path).conformance_affine
    x = tf.keras.Input((3,))
    model = tf.keras.Model(x, Op(affine, bias=[])(x))
    model.save(tmp_path / "model.keras")
    said = run_child(LOAD_WITHOUT_THE_LIBRARY, tmp_path / "model.keras").stdout
    assert "the op Conformance>Affine is not loaded; open libopwright_conformance.so with" in said


# ---- the module ----------------------------------------------------------------------------------


def test_keras_is_imported_when_it_is_used(run_child):
    code = """
import sys
import opwright

assert "keras" in dir(opwright) and "tensorflow" not in sys.modules
print(opwright.keras.Op.__name__)
"""
    assert run_child(code).stdout.split() == ["Op"]


def test_another_backend_of_keras(run_child):
    code = """
import tensorflow as tf

tf.keras.backend.backend = lambda: "jax"
import opwright.keras
"""
    child = run_child(code, check=False)
    assert child.returncode and "the backend of Keras is jax" in child.stderr


HOSTILE = """
import sys
import opwright.keras

before = set(sys.modules)
for name in sys.argv[1:]:
    try:
        opwright.keras.Op.from_config({"function": {"opwright": name}, "arguments": {}})
    except ValueError as error:
        print(name, "this opwright has no op" in str(error))
print(sorted(set(sys.modules) - before))
print("libopwright" in open("/proc/self/maps").read())
"""


def test_nothing_that_a_model_names_is_imported(run_child):
    names = [
        "opwright.lib.libopwright_core.x",
        "opwright.cli.templates.tensorflow.element_mul.element_mul",
        "opwright.testing.conformance.test_xla.X",
        "opwright.ops.element_mul.test.spec",
        "opwright.load",
        "opwright._library.load",
        "os.system",
    ]
    *refused, imported, opened = run_child(HOSTILE, *names).stdout.splitlines()
    assert refused == [f"{name} True" for name in names]
    assert (imported, opened) == ("[]", "False")


@pytest.mark.parametrize(
    "function, arguments",
    [
        ({}, {}),
        (None, {}),
        ("os.system", {}),
        ({"opwright": 5}, {}),
        ({"registered": ["a"]}, {}),
        ({"op": None}, {}),
        ({"opwright": "opwright.element_mul"}, None),
        ({"opwright": "opwright.element_mul"}, {"b": {"x": 1}}),
    ],
)
def test_damaged_description(function, arguments):
    with pytest.raises(ValueError, match="the model's description of this layer is damaged"):
        opwright.keras.Op.from_config({"function": function, "arguments": arguments})
