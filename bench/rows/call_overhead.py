"""What a call costs through the table, beside the same op in TensorFlow's own API: the tensors are
small, so that the work itself is nothing."""

import functools

from bench import in_tensorflow
from bench.harness import Comparison, Ratio

CORES = 1
CHAIN = 1000
TARGET = Ratio(1.10)
QUICK_LIMIT = 2.0


def comparisons():
    tf = in_tensorflow.start(threads=CORES)
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.ones([2, 2])
    ops = {"opwright": in_tensorflow.ours(tf), "classical": in_tensorflow.classical(tf)}
    register_gradient(tf, ops["classical"])

    def gradient(op):
        with tf.GradientTape() as tape:
            tape.watch(a)
            tape.watch(b)
            product = op(a, b)
        return tape.gradient(product, [a, b])

    eager = {name: functools.partial(op, a, b) for name, op in ops.items()}
    graph = {name: in_tensorflow.chain(tf, op, CHAIN, a, b) for name, op in ops.items()}
    gradients = {name: functools.partial(gradient, op) for name, op in ops.items()}
    return [
        Comparison("eager", eager, target=TARGET, quick_limit=QUICK_LIMIT),
        Comparison("graph", graph, per_call=CHAIN, target=TARGET, quick_limit=QUICK_LIMIT),
        Comparison("eager gradient", gradients),
    ]


def register_gradient(tf, op):
    @tf.RegisterGradient("ClassicalElementMul")
    def _(node, d_product):
        a, b = node.inputs
        return op(d_product, b), op(a, d_product)
