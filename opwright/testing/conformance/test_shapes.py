"""Shapes that are known while a graph is built."""

import numpy as np
import pytest
import tensorflow as tf


def shapes(function, *specs):
    """The static shapes of what the function returns, as lists; None where the rank is unknown."""
    results = tf.function(function).get_concrete_function(*specs).structured_outputs
    shape_list = [x.shape for x in tf.nest.flatten(results)]
    return [None if shape.rank is None else shape.as_list() for shape in shape_list]


def f64(*dims):
    return tf.TensorSpec(dims, tf.float64)


def i64(*dims):
    return tf.TensorSpec(dims, tf.int64)


UNKNOWN = tf.TensorSpec(None, tf.float64)


def test_inputs_of_one_shape(conformance):
    op = conformance.conformance_exp_mul
    assert shapes(op, f64(None, 3), f64(2, None)) == [[2, 3]]
    assert shapes(op, f64(None, 3), f64(None, None)) == [[None, 3]]
    assert shapes(op, UNKNOWN, f64(2, None)) == [[2, None]]
    assert shapes(op, UNKNOWN, UNKNOWN) == [None]
    assert shapes(op, f64(), f64()) == [[]]
    assert shapes(op, f64(0, None), UNKNOWN) == [[0, None]]


@pytest.mark.parametrize(
    "a, b, said", [((2, 3), (2, 4), "[2,3] and [2,4]"), ((2, None), (2, 4, 1), "[2,?] and [2,4,1]")]
)
def test_mismatch_while_the_graph_is_built(conformance, a, b, said):
    with pytest.raises(ValueError) as error:
        shapes(conformance.conformance_exp_mul, f64(*a), f64(*b))
    assert said in str(error.value)


def test_mismatch_in_a_run(conformance):
    call = tf.function(conformance.conformance_exp_mul, input_signature=[UNKNOWN, f64(None, None)])
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        call(tf.ones([2, 3], tf.float64), tf.ones([3, 2], tf.float64))
    assert "[2,3] and [3,2]" in str(error.value)


def test_lists(conformance):
    def weighted_sum(*xs):
        return conformance.conformance_weighted_sum(xs, weights=[1.0] * len(xs))

    assert shapes(weighted_sum, f64(None, 3), UNKNOWN, f64(2, None)) == [[2, 3]]
    assert shapes(weighted_sum, UNKNOWN) == [None]
    assert shapes(
        lambda x: conformance.conformance_spread(x, N=2, weights=[1, 2]), f64(None, 3)
    ) == [[None, 3], [None, 3]]
    assert shapes(
        lambda *xs: conformance.conformance_mixed(xs),
        f64(None, 3),
        tf.TensorSpec(None, tf.int32),
    ) == [[None, 3], None, [2], [2]]


def test_optional_input(conformance):
    def affine(x, *bias):
        return conformance.conformance_affine(x, bias)

    assert shapes(affine, f64(2, None)) == [[2, None]]
    assert shapes(affine, f64(2, None), f64(3)) == [[2, 3]]
    assert shapes(affine, UNKNOWN, UNKNOWN) == [[None, None]]
    with pytest.raises(ValueError, match="the columns of x and the length of bias: 4 and 3 differ"):
        shapes(affine, f64(2, 4), f64(3))
    with pytest.raises(ValueError, match=r"x must have rank 2, its shape is \[\?\]"):
        shapes(affine, f64(None))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
class TestShapeAsValue:
    @pytest.fixture
    def fill(self, conformance):
        return lambda shape: conformance.conformance_fill(shape, 1.0)

    def test_constant(self, fill, dtype):
        assert shapes(lambda: fill(tf.constant([2, 3], dtype))) == [[2, 3]]
        assert shapes(lambda: fill(tf.zeros([0], dtype))) == [[]]

    def test_some_elements(self, fill, dtype):
        n = tf.TensorSpec([], dtype)
        assert shapes(lambda n: fill(tf.stack([n, 3])), n) == [[None, 3]]
        assert shapes(lambda n: fill(tf.concat([[n], [5, n]], 0)), n) == [[None, 5, None]]

    def test_shape_of_another_tensor(self, fill, dtype):
        x = f64(None, 4)
        assert shapes(lambda x: fill(tf.shape(x, dtype)), x) == [[None, 4]]
        assert shapes(lambda x: fill(tf.shape(x, dtype)[1:]), x) == [[4]]
        assert shapes(lambda x: fill(2 * tf.shape(x, dtype)), f64(3, 4)) == [[6, 8]]
        assert shapes(lambda x: fill(tf.shape(x, dtype)), UNKNOWN) == [None]

    def test_rank_alone(self, fill, dtype):
        assert shapes(fill, tf.TensorSpec([3], dtype)) == [[None] * 3]
        assert shapes(fill, tf.TensorSpec([None], dtype)) == [None]
        assert shapes(fill, tf.TensorSpec(None, dtype)) == [None]

    def test_through_functions(self, fill, dtype):
        inner = tf.function(fill)
        assert shapes(lambda: inner(tf.constant([2, 3], dtype))) == [[2, 3]]

    def test_negative(self, fill, dtype):
        with pytest.raises(ValueError, match="shape.*-4"):
            shapes(lambda: fill(tf.constant([2, -4], dtype)))

    def test_not_a_vector(self, fill, dtype):
        with pytest.raises(ValueError, match="shape"):
            shapes(fill, tf.TensorSpec([2, 2], dtype))


def test_values_whole_or_not_at_all(conformance):
    def repeat(x, times):
        return conformance.conformance_repeat(x, times)

    assert shapes(lambda x: repeat(x, tf.constant([2, 3], tf.int64)), f64(2)) == [[5]]
    assert shapes(lambda x: repeat(x, tf.constant([2, 3], tf.int64)), UNKNOWN) == [[5]]
    assert shapes(lambda x, n: repeat(x, tf.stack([n, 3])), f64(2), i64()) == [[None]]
    assert shapes(repeat, f64(2), i64(2)) == [[None]]
    with pytest.raises(ValueError, match="the lengths of x and times: 3 and 2 differ"):
        shapes(lambda x: repeat(x, tf.constant([2, 3], tf.int64)), f64(3))
    with pytest.raises(ValueError, match="times must not be negative, it has -3"):
        shapes(lambda x: repeat(x, tf.constant([2, -3], tf.int64)), f64(2))


def test_scalar_value(conformance):
    def stretch(x, factor):
        return conformance.conformance_stretch(x, factor)

    x, factor = tf.TensorSpec([4], tf.float32), tf.constant(2.6, tf.float64)
    assert shapes(lambda x: stretch(x, factor), x) == [[11]]
    assert shapes(lambda x: stretch(x, factor), tf.TensorSpec([None], tf.float32)) == [[None]]
    assert shapes(stretch, x, f64()) == [[None]]
    assert shapes(stretch, tf.TensorSpec(None, tf.float32), UNKNOWN) == [[None]]


def test_attributes_as_shapes(conformance):
    assert shapes(lambda: conformance.conformance_echo_one(text="abc", shape=[2, 3])) == [
        *([], [], [], [3], [], [], [2], [6]),
    ]


def test_shapes_of_gradients(conformance):
    def gradient(x):
        return tf.gradients(conformance.conformance_split_sign(x).positive, [x])

    assert shapes(gradient, f64(None, 3)) == [[None, 3]]


def test_a_known_shape_is_that_of_the_run(conformance, rng):
    """What the graph promises is what comes out, for shapes of which any part is unknown."""
    for _ in range(20):
        dims = rng.integers(0, 4, size=rng.integers(0, 5))
        x = rng.normal(size=dims)
        specs = [
            tf.TensorSpec(
                None if rng.random() < 0.2 else [d if rng.random() < 0.5 else None for d in dims],
                tf.float64,
            )
            for _ in range(2)
        ]
        call = tf.function(conformance.conformance_exp_mul, input_signature=specs)
        promised = call.get_concrete_function().output_shapes
        result = call(x, x)
        assert result.shape == dims
        assert promised.is_compatible_with(result.shape)
        known = [spec.shape for spec in specs if spec.shape.rank is not None]
        assert (promised.rank is not None) == bool(known)
        for k in range(len(dims) if known else 0):
            assert (promised[k] is not None) == any(shape[k] is not None for shape in known)
        np.testing.assert_allclose(result, np.exp(x) * x, rtol=1e-14)
