"""What a saved Keras layer says of its function and its arguments: see opwright/keras.py."""

import base64
import importlib
import inspect
import sys
import types

import numpy as np
import tensorflow as tf

import opwright
from opwright import _library


def damaged(what):
    return ValueError(
        f"opwright.keras.Op: the model's description of this layer is damaged: {what!r}"
    )


# ---- functions in what is saved ------------------------------------------------------------------


def read(identity, encoded):
    """The function and the arguments that a layer's description has, which anybody may have
    written."""
    keys = ("opwright", "op", "registered")
    good = isinstance(identity, dict) and any(key in identity for key in keys)
    if not good or not all(isinstance(identity.get(key, ""), str) for key in keys):
        raise damaged(identity)
    try:
        arguments = {key: decode(value) for key, value in encoded.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise damaged(encoded) from None
    return find(identity), arguments


def identity_of(function):
    """What a saved layer says of its function, for find."""
    public = _public_name(function)
    if public:
        return {"opwright": public}
    for module in _op_modules():
        if any(value is function for value in list(vars(module).values())):
            file = (getattr(module, "__file__", None) or "").rpartition("/")[2]
            return {"op": _op_name(function), "library": file or None}
    name = tf.keras.utils.get_registered_name(function)
    if tf.keras.utils.get_registered_object(name) is not function:
        raise ValueError(
            f"opwright.keras.Op: {function!r} cannot be saved, as it can be found by no name; "
            "write @tf.keras.utils.register_keras_serializable(package=...) above its `def`"
        )
    return {"registered": name}


def find(identity):
    """The function that identity_of has described, whoever has written the description."""
    if "opwright" in identity:
        module, _, name = identity["opwright"].rpartition(".")
        function = _public_function(module, name)
        if function is None:
            raise ValueError(
                f"opwright.keras.Op: this opwright has no op {identity['opwright']}; the model may "
                "be of a newer one"
            )
        return function
    if "op" in identity:
        for module in _op_modules():
            for function in list(vars(module).values()):
                if _op_name(function) == identity["op"]:
                    return function
        file = identity.get("library") or "its library"
        raise ValueError(
            f"opwright.keras.Op: the op {identity['op']} is not loaded; open {file} with "
            "opwright.load before the model is loaded"
        )
    function = tf.keras.utils.get_registered_object(identity["registered"])
    if not callable(function):
        raise ValueError(
            f"opwright.keras.Op: no function {identity['registered']} is registered; import the "
            "module that registers it with tf.keras.utils.register_keras_serializable"
        )
    return function


def _public_name(function):
    """As opwright.element_mul: the shortest path by which a function of an op is public."""
    name = getattr(function, "__name__", "")
    for module in opwright._PUBLIC:
        if _public_function(module, name) is function:
            return f"{module}.{name}"
    return None


def _public_function(module, name):
    """A function that a public module of this package exports and defines, or None.

    A model file can name anything, so nothing is imported that it names but for these modules; and
    what opens libraries, opwright.load, is defined in a private one.
    """
    if module not in opwright._PUBLIC:
        return None
    exporting = importlib.import_module(module)
    if name not in exporting.__all__:
        return None
    function = getattr(exporting, name)
    if isinstance(function, types.FunctionType) and is_public(function.__module__):
        return function
    return None


def is_public(module):
    package, *path = module.split(".")
    return package == "opwright" and not any(part.startswith("_") for part in path)


def _op_modules():
    """The modules of ops that opwright.load and tf.load_op_library have made in this process."""
    plain = [x for x in list(sys.modules.values()) if "_IS_TENSORFLOW_PLUGIN" in _variables(x)]
    return [module for _, module in _library._loaded.values()] + plain


def _variables(module):
    return getattr(module, "__dict__", {})


def _op_name(function):
    """The op that a function calls which TensorFlow has generated; None if it is another."""
    if not isinstance(function, types.FunctionType):
        return None
    wrapper = inspect.unwrap(function)
    name = function.__name__
    if f"_dispatcher_for_{name}" not in wrapper.__globals__:  # such as its eager fallback
        return None
    for constant in wrapper.__code__.co_consts:  # the first that names an op is the op's name
        if isinstance(constant, str) and constant.replace(">", "_") in wrapper.__globals__:
            return constant
    return None


# ---- arguments in what is saved ------------------------------------------------------------------


def encode(value):
    """A value as JSON holds it, which decode makes again; TypeError if there is no such form."""
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [encode(part) for part in value]
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"shape": None if value.rank is None else value.as_list()}
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OSUM" and not value.dtype.names:
        value = value.astype(value.dtype.newbyteorder("="), copy=False)
        content = base64.b64encode(np.ascontiguousarray(value)).decode()
        dtype = tf.as_dtype(value.dtype).name
        return {"array": content, "dtype": dtype, "dims": list(value.shape)}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def decode(value):
    if isinstance(value, list):
        return [decode(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "bytes" in value:
        return base64.b64decode(value["bytes"])
    if "array" in value:
        dtype = tf.as_dtype(value["dtype"]).as_numpy_dtype
        return np.frombuffer(base64.b64decode(value["array"]), dtype).reshape(value["dims"])
    return tf.TensorShape(value["shape"]) if "shape" in value else tf.as_dtype(value["dtype"])
