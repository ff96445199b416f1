"""What a call costs in a program that XLA has compiled, beside the same call in a graph."""

from bench import in_tensorflow
from bench.harness import Comparison

CORES = 1
CHAIN = 500


def comparisons():
    tf = in_tensorflow.start(threads=CORES)
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.ones([2, 2])
    op = in_tensorflow.ours(tf)
    sides = {
        name: in_tensorflow.chain(tf, op, CHAIN, a, b, jit_compile=jit)
        for name, jit in (("jit", True), ("graph", False))
    }
    return [Comparison("call", sides, per_call=CHAIN)]
