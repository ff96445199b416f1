"""opwright.keras.Op in Keras 3 and in Keras 2: models that train, are saved, and are loaded."""

import numpy as np
import pytest
import tensorflow as tf

import opwright
from opwright.keras import Op

layers = tf.keras.layers


@pytest.fixture(autouse=True)
def start():
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(1)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    x, z, y = (rng.normal(size=(64, 4)).astype("float32") for _ in range(3))
    return {"x": x, "z": z}, 0.1 * y + x * z


def product_model():
    """(a w + b) * (c v + d), with an op of this package."""
    x, z = (tf.keras.Input((4,), name=name) for name in "xz")
    y = Op(opwright.element_mul)(layers.Dense(4)(x), layers.Dense(4)(z))
    return tf.keras.Model({"x": x, "z": z}, layers.Dense(4, dtype="float32")(y))


def conformance_model(conformance):
    """Arguments by position, by name and in lists; several results; attributes, fixed inputs."""
    x, z = (tf.keras.Input((4,), name=name) for name in "xz")
    a, b = layers.Dense(4)(x), layers.Dense(4)(z)
    y = Op(conformance.conformance_exp_mul, rate=0.5)(b=a, a=b)
    split = Op(conformance.conformance_split_sign)(y)
    weights = Op(conformance.conformance_weighted_sum, weights=[1.0, -2.0, 0.5])
    y = weights([split.positive, split[1], a])
    y = Op(conformance.conformance_affine, scale=2.0)(y, [])
    y = Op(conformance.conformance_affine, bias=[np.float32([0, 1, 2, 3])])(y)
    return tf.keras.Model({"x": x, "z": z}, layers.Dense(4)(y))


def train(model, inputs, target, epochs=4, **options):
    model.compile(tf.keras.optimizers.Adam(0.02), "mse", **options)
    losses = model.fit(inputs, target, epochs=epochs, batch_size=16, verbose=0).history["loss"]
    assert losses[-1] < 0.95 * losses[0], losses
    return losses


@pytest.fixture(params=["package", "conformance", "mixed_bfloat16"])
def model(request):
    if request.param == "conformance":
        yield conformance_model(request.getfixturevalue("conformance"))
        return
    policy = "float32" if request.param == "package" else request.param
    tf.keras.mixed_precision.set_global_policy(policy)
    yield product_model()
    tf.keras.mixed_precision.set_global_policy("float32")


LOAD = """
import sys
import numpy as np
import tensorflow as tf
import opwright.keras

library, model, data = sys.argv[1:]
opwright.load(library)
model = tf.keras.models.load_model(model)
data = np.load(data)
inputs = {"x": data["x"], "z": data["z"]}
assert model.predict(inputs, verbose=0).tobytes() == data["predicted"].tobytes()
print(*model.fit(inputs, data["y"], epochs=3, batch_size=16, verbose=0).history["loss"])
"""


def test_a_model_trains_and_goes_on_in_another_process(
    model, data, conformance_path, run_child, tmp_path
):
    inputs, y = data
    losses = train(model, inputs, y)
    model.save(tmp_path / "model.keras")
    predicted = model.predict(inputs, verbose=0)
    assert predicted.dtype == np.float32
    np.savez(tmp_path / "data.npz", y=y, predicted=predicted, **inputs)
    child = run_child(LOAD, conformance_path, tmp_path / "model.keras", tmp_path / "data.npz")
    later = [float(loss) for loss in child.stdout.splitlines()[-1].split()]
    assert later[-1] < later[0] < losses[0]


def test_run_eagerly(model, data):
    train(model, *data, run_eagerly=True)


def test_jit_compile(model, data):
    inputs, y = data
    expected = model.predict(inputs, verbose=0)
    model.compile(jit_compile=True)
    predicted = model.predict(inputs, verbose=0)
    tolerance = 0.1 if "bfloat16" in str(model.layers[-2].compute_dtype) else 1e-5
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=tolerance)
    train(model, inputs, y, jit_compile=True)


def test_clone(model, data):
    inputs, _ = data
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    np.testing.assert_array_equal(
        clone.predict(inputs, verbose=0), model.predict(inputs, verbose=0)
    )


SERVE = """
import sys
import numpy as np
import tensorflow as tf

for library in sys.argv[3:]:
    tf.load_op_library(library)
data = np.load(sys.argv[2])
serve = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
(result,) = serve(x=tf.constant(data["x"]), z=tf.constant(data["z"])).values()
np.testing.assert_allclose(result, data["predicted"], rtol=0, atol=1e-6)
assert "opwright" not in sys.modules
print("served")
"""


@pytest.mark.parametrize("way", ["export", "saved_model"])
def test_saved_model(model, data, core_path, conformance_path, run_child, tmp_path, way):
    inputs, _ = data
    np.savez(tmp_path / "data.npz", predicted=model.predict(inputs, verbose=0), **inputs)
    folder = str(tmp_path / "model")
    if way == "export":
        model.export(folder)
    else:
        serve = tf.function(lambda x, z: {"y": model({"x": x, "z": z})})
        specs = [tf.TensorSpec((None, 4), tf.float32, name=name) for name in "xz"]
        tf.saved_model.save(model, folder, signatures=serve.get_concrete_function(*specs))
    child = run_child(SERVE, folder, tmp_path / "data.npz", core_path, conformance_path)
    assert child.stdout.split() == ["served"]


# ---- one layer -----------------------------------------------------------------------------------


def test_symbolic_results_are_those_of_the_function(conformance):
    x = tf.keras.Input((None, 3))
    y = Op(conformance.conformance_split_sign)(x)
    assert y._fields == ("positive", "negative", "sign")
    assert [tuple(part.shape) for part in y] == [(None, None, 3)] * 3
    assert [tf.as_dtype(part.dtype) for part in y] == [tf.float32, tf.float32, tf.int8]
    fixed = tf.keras.Input((5, 3), batch_size=2)
    assert tuple(Op(opwright.element_mul)(x, fixed).shape) == (2, 5, 3)
    ys = Op(conformance.conformance_spread, weights=[1.0, 2.0], N=2)(x)
    assert isinstance(ys, list) and len(ys) == 2


def test_shapes_that_do_not_fit(conformance):
    a, b = tf.keras.Input((3,)), tf.keras.Input((4,))
    with pytest.raises((ValueError, RuntimeError)) as caught:
        Op(opwright.element_mul)(a, b)
    assert "they have [?,3] and [?,4]" in str(caught.value)
    assert "compute_output_spec" not in str(caught.value)


def test_eager_and_by_name(conformance):
    a, b = tf.constant([1.0, 2.0]), np.float32([3.0, 4.0])
    for layer in (Op(opwright.element_mul), Op(conformance.conformance_exp_mul)):
        expected = layer._applied.function(a, b)
        for y in (layer(a, b), layer(b=b, a=a), layer({"a": a, "b": b}), layer(a, b=b)):
            np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(Op(opwright.element_mul, a=b)(a), [3, 8])


def test_sequential(conformance, data):
    inputs, y = data
    affine = Op(conformance.conformance_affine, bias=[], scale=2.0)
    model = tf.keras.Sequential([layers.Dense(4), affine, layers.Dense(4)])
    train(model, inputs["x"], y)
    again = tf.keras.Sequential.from_config(model.get_config())
    first = inputs["x"][:16]
    again(first)
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again(first), model(first))


def test_inside_another_layer(conformance, data):
    affine = Op(conformance.conformance_affine, bias=[], scale=2.0)  # takes matrices only
    x = tf.keras.Input((5, 3))
    y = layers.TimeDistributed(affine)(x)
    assert tuple(y.shape) == (None, 5, 3)
    ones = np.ones((2, 5, 3), "float32")
    np.testing.assert_array_equal(tf.keras.Model(x, y).predict(ones, verbose=0), 2 * ones)
    shapes = Op(opwright.element_mul).compute_output_shape({"a": (None, 3), "b": (2, 3)})
    assert tuple(shapes) == (2, 3)


def test_constants_in_a_model(tmp_path):
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, Op(opwright.element_mul)(tf.constant([[3.0, 4.0]]), x))
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(np.float32([[1, 2]]), verbose=0), [[3, 8]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_inputs_become_the_compute_dtype(dtype):
    multiply = Op(opwright.element_mul, dtype="mixed_" + dtype)
    x = np.float32([1.0, 2.0])
    for y in (multiply(x, tf.constant(x, tf.float64)), multiply(tf.keras.Input((2,)), x[None])):
        assert tf.as_dtype(y.dtype).name == dtype
    fixed = Op(opwright.element_mul, b=x, dtype="mixed_" + dtype)
    assert fixed(tf.constant(x)).dtype.name == dtype
    again = Op.from_config(fixed.get_config())
    assert again(tf.constant(x)).dtype.name == dtype
    assert multiply(tf.constant([2]), tf.constant([3])).dtype == tf.int32


def test_dtype_of_a_double(conformance):
    x, mask = tf.constant([1.0, 2.0], tf.float64), tf.constant([True, False])
    y = Op(conformance.conformance_masked_sum, dtype="float64")(x, [mask])
    assert y.dtype == tf.float64 and y.numpy() == 1


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Op("element_mul"), "'element_mul' is no function; give the op's function"),
        (lambda: Op(opwright.element_mul, 2.0), "2.0 is given without a name"),
        (
            lambda: Op(opwright.element_mul)([tf.ones([2]), tf.ones([2])]),
            "element_mul is called with one list, and needs b too; give the tensors one by one",
        ),
    ],
)
def test_habits(make, sentence):
    with pytest.raises(TypeError) as caught:
        make()
    assert sentence in str(caught.value)


@tf.keras.utils.register_keras_serializable(package="test_keras")
def doubled_in_training(x, training=False):
    return 2 * x if training else x


def test_training():
    """What Keras says of it, unless it is fixed."""
    x = np.ones([2, 1], np.float32)
    layer = Op(doubled_in_training)
    for training, expected in [(True, 2), (False, 1), (None, 1)]:
        np.testing.assert_array_equal(layer(x, training=training), expected * x)
    np.testing.assert_array_equal(Op(doubled_in_training, training=True)(x, training=False), 2 * x)
    entry = tf.keras.Input((1,))
    model = tf.keras.Model(entry, layer(entry))
    np.testing.assert_array_equal(model(x, training=True), 2 * x)
    np.testing.assert_array_equal(model.predict(x, verbose=0), x)


@pytest.mark.parametrize("dtype", [">f4", ">i4", "<f4", ">c8"])
def test_byte_order(dtype):
    values = np.array([1, 2, 3], dtype)

    def add(a, b):
        return a + tf.cast(b, a.dtype)

    # As another dtype than the layer's, so that nothing is cast on the way.
    result = Op(add, b=values)(tf.zeros([3], tf.complex64 if "c" in dtype else tf.float32))
    np.testing.assert_array_equal(tf.math.real(result), [1, 2, 3])
