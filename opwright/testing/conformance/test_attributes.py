"""Attributes of every kind: their values, their defaults, their way into gradients."""

import math

import numpy as np
import pytest
import tensorflow as tf

UNKNOWN_RANK = tf.TensorShape(None)


def plain(result):
    """An op's outputs by name: bytes for uint8, lists and numbers for the rest."""
    fields = result._asdict().items()
    return {
        name.removeprefix("out_"): x.numpy().tobytes()
        if x.dtype == tf.uint8
        else x.numpy().tolist()
        for name, x in fields
    }


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
class TestOne:
    DEFAULTS = {
        "integer": -7,
        "real": 0.5,
        "boolean": True,
        "text": b"default",
        "dtype": tf.bfloat16.as_datatype_enum,
        "rank": -1,
        "dims": [],
        "mode": b"closed",
    }

    @pytest.fixture
    def echo(self, conformance, graph):
        op = conformance.conformance_echo_one
        return lambda **given: plain((tf.function(op) if graph else op)(**given))

    def test_defaults(self, echo):
        assert echo() == self.DEFAULTS

    @pytest.mark.parametrize(
        "name, value, seen",
        [
            ("integer", 2**63 - 1, 2**63 - 1),
            ("integer", -(2**63), -(2**63)),
            ("real", 0.1, float(np.float32(0.1))),
            ("real", -math.inf, -math.inf),
            ("boolean", False, False),
            ("text", "", b""),
            ("text", "grün", "grün".encode()),
            ("text", b"a\0b\xff\n", b"a\0b\xff\n"),
            ("text", "x" * 100_000, b"x" * 100_000),
            ("dtype", tf.complex128, tf.complex128.as_datatype_enum),
            ("dtype", tf.string, tf.string.as_datatype_enum),
            ("mode", "open", b"open"),
        ],
    )
    def test_value(self, echo, name, value, seen):
        assert echo(**{name: value}) == {**self.DEFAULTS, name: seen}

    @pytest.mark.parametrize(
        "shape, rank, dims",
        [
            ([], 0, []),
            ([2, None, 0], 3, [2, -1, 0]),
            ([2**40], 1, [2**40]),
            ([1] * 254, 254, [1] * 254),
            (UNKNOWN_RANK, -1, []),
        ],
        ids=["scalar", "some", "huge", "high", "unknown"],
    )
    def test_shape(self, echo, shape, rank, dims):
        assert echo(shape=shape) == {**self.DEFAULTS, "rank": rank, "dims": dims}


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
class TestLists:
    DEFAULTS = {
        "integers": [3, -4],
        "reals": [0.25],
        "booleans": [True, False, True],
        "lengths": [1, 2],
        "bytes": b"abc",
        "dtypes": [tf.float16.as_datatype_enum, tf.int64.as_datatype_enum],
        "ranks": [],
        "dims": [],
    }

    @pytest.fixture
    def echo(self, conformance, graph):
        op = conformance.conformance_echo_lists
        return lambda **given: plain((tf.function(op) if graph else op)(**given))

    def test_defaults(self, echo):
        assert echo() == self.DEFAULTS

    @pytest.mark.parametrize(
        "name, value, seen",
        [
            ("integers", [], []),
            ("integers", [2**63 - 1, 0, -(2**63)], [2**63 - 1, 0, -(2**63)]),
            ("integers", list(range(1000)), list(range(1000))),
            ("reals", [0.1, 2.0], [float(np.float32(0.1)), 2.0]),
            ("reals", [], []),
            ("booleans", [False], [False]),
            ("booleans", [], []),
            ("dtypes", [tf.bool, tf.half], [10, 19]),
            ("dtypes", [], []),
        ],
    )
    def test_value(self, echo, name, value, seen):
        assert echo(**{name: value}) == {**self.DEFAULTS, name: seen}

    def test_texts(self, echo):
        assert echo(texts=["", b"\0\xff", "ü"]) == {
            **self.DEFAULTS,
            "lengths": [0, 2, 2],
            "bytes": b"\0\xff" + "ü".encode(),
        }
        assert echo(texts=[]) == {**self.DEFAULTS, "lengths": [], "bytes": b""}

    def test_shapes(self, echo):
        assert echo(shapes=[[2, None], UNKNOWN_RANK, [], [7]]) == {
            **self.DEFAULTS,
            "ranks": [2, -1, 0, 1],
            "dims": [2, -1, 7],
        }


def fingerprint(attributes):
    """What Conformance>Fingerprint multiplies by, from the attributes in their order."""
    total = 1.0

    def add(x):
        nonlocal total
        if isinstance(x, (str, bytes)):
            data = x.encode() if isinstance(x, str) else x
            for part in [len(data), *data]:
                add(part)
        elif isinstance(x, tf.DType):
            add(x.as_datatype_enum)
        elif isinstance(x, tf.TensorShape):
            dims = [] if x.rank is None else [-1 if d is None else d for d in x.as_list()]
            for part in [-1 if x.rank is None else x.rank, *dims]:
                add(part)
        else:
            total = math.fmod(total * 31 + 4 * x, 65521)

    for value in attributes.values():
        for x in value if isinstance(value, list) else [value]:
            add(x)
    return total


DEFAULTS = {
    "integer": 1,
    "real": 0.5,
    "boolean": True,
    "text": "t",
    "dtype": tf.float32,
    "shape": UNKNOWN_RANK,
    "integers": [],
    "reals": [],
    "booleans": [],
    "texts": [],
    "dtypes": [],
    "shapes": [],
}
OTHERS = {
    "integer": -9,
    "real": 2.25,
    "boolean": False,
    "text": b"\0\xffz",
    "dtype": tf.int16,
    "shape": tf.TensorShape([None, 4]),
    "integers": [5, -6],
    "reals": [0.75, -1.5],
    "booleans": [True, False],
    "texts": ["one", "", "three"],
    "dtypes": [tf.bool, tf.complex64],
    "shapes": [tf.TensorShape([1, None]), UNKNOWN_RANK, tf.TensorShape([])],
}


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("inherit", [True, False], ids=["inherited", "given"])
@pytest.mark.parametrize("changed", [[], *[[name] for name in OTHERS], list(OTHERS)])
def test_gradient_passes_attributes_on(conformance, changed, inherit, graph):
    """The gradient's ops have this node's attributes, at first and at second hand."""
    given = {name: OTHERS[name] for name in changed}
    factor = fingerprint({**DEFAULTS, **given})

    def gradients(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = conformance.conformance_fingerprint(x, inherit=inherit, **given)
            first = inner.gradient(y, x, output_gradients=x)
        return y, first, outer.gradient(first, x)

    x = tf.constant([1.0, -2.0], tf.float64)
    y, first, second = (tf.function(gradients) if graph else gradients)(x)
    np.testing.assert_array_equal(y, factor * x)
    np.testing.assert_array_equal(first, factor * x)
    np.testing.assert_array_equal(second, [factor, factor])
