"""opwright: TensorFlow ops, each written once in C++.

    module = opwright.load("libmy_op.so")   # any op library, by any spelling of its path
    opwright.element_mul(a, b)              # the ops that come with opwright
    opwright.keras.Op(opwright.element_mul) # an op as a Keras layer

Importing this package imports neither TensorFlow nor an op library; the first use of an op does.
An op library needs no `import opwright`: `tf.load_op_library("libmy_op.so")` works alone, gradients
included.
"""

import importlib

from opwright._library import load
from opwright._version import __version__, include_dir, versions

# Where the ops are defined that come with opwright.
_OPS = {"element_mul": "opwright.ops.element_mul"}

# The modules whose functions a saved model may name.
_PUBLIC = ("opwright",)

__all__ = ["__version__", "include_dir", "load", "versions", *_OPS]


def __getattr__(name):
    if name == "keras":
        return importlib.import_module("opwright.keras")
    if name in _OPS:
        return getattr(importlib.import_module(_OPS[name]), name)
    raise AttributeError(
        f"module 'opwright' has no attribute {name!r}; ops of other libraries are attributes of "
        "what opwright.load returns"
    )


def __dir__():
    return sorted([*__all__, "keras"])
