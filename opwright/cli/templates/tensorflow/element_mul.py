"""The op element_mul, and its gradient, for Python."""

import os
import pathlib

import tensorflow as tf


def _library():
    """Beside this file, where it is to be shipped, or where one of the builds puts it."""
    here = pathlib.Path(__file__).resolve().parent
    places = [here / folder / "libelement_mul.so" for folder in (".", "build", "bazel-bin")]
    chosen = os.environ.get("ELEMENT_MUL_LIBRARY")
    for path in [pathlib.Path(chosen).resolve()] if chosen else places:
        if path.is_file():
            return str(path)
    raise ImportError(
        f"libelement_mul.so is not in {here}, nor in build or bazel-bin there: build it (README.md "
        f"says how), or let ELEMENT_MUL_LIBRARY say where it is; now that is {chosen!r}."
    )


_ops = tf.load_op_library(_library())


def element_mul(a, b, name=None):
    """Multiplies two tensors of one shape, element by element. No broadcasting.

    Args:
      a: a tensor of any shape: float16, bfloat16, float32, float64, int32 or int64. float16 and
        bfloat16 are multiplied in float32 and rounded once; integers wrap around.
      b: a tensor of the same dtype and shape.
      name: a name for the operation, optional.

    Returns:
      a * b, a tensor of the same dtype and shape. Differentiable to any order in both arguments,
      for the floating dtypes.

    Raises:
      tf.errors.InvalidArgumentError: the shapes differ, or the dtype is another one. In a graph
        whose shapes are known, a ValueError while it is built.
    """
    return _ops.element_mul(a, b, name=name)


def _gradient(node, d_product):
    a, b = node.inputs
    return _ops.element_mul(d_product, b), _ops.element_mul(a, d_product)


try:
    tf.RegisterGradient("ElementMul")(_gradient)
except KeyError:
    pass  # There is one for each process, however often a module is imported.
