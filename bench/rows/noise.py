"""An op against itself: how far from 1.00x a ratio is when there is nothing to see."""

import functools

from bench import in_tensorflow
from bench.harness import Comparison

CORES = 1
CHAIN = 1000


def comparisons():
    tf = in_tensorflow.start(threads=CORES)
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.ones([2, 2])
    op = in_tensorflow.classical(tf)
    names = ("classical", "the same")
    return [
        Comparison("eager", {name: functools.partial(op, a, b) for name in names}),
        Comparison(
            "graph",
            {name: in_tensorflow.chain(tf, op, CHAIN, a, b) for name in names},
            per_call=CHAIN,
        ),
    ]
