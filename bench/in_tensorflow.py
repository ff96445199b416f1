"""What rows inside TensorFlow share: its settings, the libraries, a chain of ops as a graph."""

import functools
import pathlib

from bench import build_peers

CORE = pathlib.Path(__file__).resolve().parent.parent / "opwright" / "lib" / "libopwright_core.so"


def start(threads):
    """TensorFlow with so many threads in each pool, which runs graphs as they are written."""
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(threads)
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    # Otherwise it folds and merges what is to be measured.
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    return tf


def ours(tf):
    if not CORE.exists():
        raise SystemExit(f"{CORE} is missing: build the preset release first.")
    return tf.load_op_library(str(CORE)).opwright_element_mul


def classical(tf):
    return _peer(tf, build_peers.CLASSICAL).classical_element_mul


def pass_through(tf):
    return _peer(tf, "pass_through").classical_pass_through


def _peer(tf, name):
    return tf.load_op_library(str(build_peers.library(name)))


def chain(tf, op, length, a, b, **options):
    """A call that runs op(op(a, b), b) and so on as one graph. options: of tf.function."""

    def body(a, b):
        for _ in range(length):
            a = op(a, b)
        return a

    return functools.partial(tf.function(body, **options).get_concrete_function(a, b), a, b)
