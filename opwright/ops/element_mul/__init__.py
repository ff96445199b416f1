"""element_mul: the smallest op, and the model of all others."""

from opwright import _library


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
    return _library.pack("core").opwright_element_mul(a, b, name=name)
