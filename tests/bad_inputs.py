"""Calls that must fail, each with words that its message must have.

As a program, `python bad_inputs.py CONFORMANCE CORE FIRST` runs the cases from number FIRST on and
writes two JSON lines for each: before it, its number; after it, what came of it. A case that ends
the process leaves the first line alone.
"""

import json
import sys

import numpy as np
import tensorflow as tf

HUGE = np.int64([2**31] * 3)
F32 = np.ones(3, np.float32)
F64 = np.ones(3)


def cases(conformance, core):
    """Triples: a name, a call of arguments, the arguments, the words that must be said."""
    mul = core.opwright_element_mul
    c = conformance

    def weighted(*xs, weights=(1.0, 1.0)):
        return c.conformance_weighted_sum(list(xs), weights=list(weights))

    yield "shapes differ", mul, [np.ones([2, 3]), np.ones([3, 2])], ["a and b", "[2,3]", "[3,2]"]
    yield "ranks differ", mul, [np.ones([2, 3]), np.ones([2])], ["[2,3]", "[2]"]
    yield "broadcasting", mul, [np.ones([2, 3]), np.float64(1)], ["[2,3]", "[]"]
    yield "no kernel", mul, [np.uint8([1])] * 2, ["uint8"]
    yield "two dtypes", mul, [np.float32([1]), np.int32([1])], ["float", "int32"]
    yield "texts", mul, [np.array(["a"]), np.array(["b"])], ["string"]

    def fill(shape):
        return c.conformance_fill(shape, 1.0)

    yield "negative dimension", fill, [np.int64([2, -5])], ["-5"]
    yield "most negative dimension", fill, [np.int64([-(2**63)])], ["-9223372036854775808"]
    yield "shape of overflowing size", fill, [HUGE], ["2147483648"]
    yield "shape of overflowing bytes", fill, [np.int64([2**62])], ["4611686018427387904"]
    yield "shape too large for memory", fill, [np.int64([2**45])], ["35184372088832"]
    yield "zero beside overflow", fill, [np.int64([2**62, 2**62, 0])], ["4611686018427387904"]
    yield (
        "overflow before an unknown dimension",
        lambda n: fill(tf.stack([tf.constant(2**40, tf.int64), tf.constant(2**40, tf.int64), n])),
        [np.int64(1)],
        ["1099511627776"],
    )
    yield "shape of rank 300", fill, [np.ones(300, np.int32)], ["rank", "254"]
    yield "shape of rank 2", fill, [np.ones([2, 2], np.int32)], ["shape", "2"]
    yield "shape as floats", fill, [np.float32([2, 3])], ["float"]

    def stretch(factor):
        return c.conformance_stretch(F32, factor)

    for factor, word in [(np.nan, "nan"), (np.inf, "inf"), (-1, "-1"), (0, "0"), (1e30, "1e+30")]:
        yield f"factor {word}", stretch, [np.float64(factor)], ["factor must be above 0", word]
    yield "factor no scalar", stretch, [np.float64([1, 2])], ["factor must have rank 0", "[2]"]
    yield (
        "rank of x",
        lambda x: c.conformance_stretch(x, np.float64(2)),
        [np.ones([2, 2], np.float32)],
        ["x must have rank 1", "[2,2]"],
    )

    yield "negative count", c.conformance_repeat, [F64, np.int64([1, -7, 2])], ["times", "-7"]
    yield (
        "counts that overflow",
        c.conformance_repeat,
        [F64, np.int64([2**62, 2**62, 1])],
        ["4611686018427387904 plus 4611686018427387904"],
    )
    yield "counts of other length", c.conformance_repeat, [F64, np.int64([1])], ["3 and 1 differ"]
    yield "runs too long", c.conformance_sum_runs, [F64, np.int64([2, 9])], ["times[1] is 9"]
    yield "runs too short", c.conformance_sum_runs, [F64, np.int64([1])], ["1 of the 3"]
    yield "negative run", c.conformance_sum_runs, [F64, np.int64([-3])], ["times[0] is -3"]
    yield "no table", c.conformance_lookup, [np.zeros(0), np.zeros(1)], ["position 0", "length 0"]
    yield "NaN as position", c.conformance_lookup, [F64, np.array([np.nan])], ["position nan"]
    yield "huge position", c.conformance_lookup, [F64, np.array([1e300])], ["position 1e+300"]

    yield "list of two shapes", weighted, [np.ones([2]), np.ones([3])], ["one shape", "[2]", "[3]"]
    yield "list of two dtypes", weighted, [F32, F64], ["float"]
    yield "list of none", lambda: weighted(weights=()), [], ["N"]
    yield "attribute of other length", weighted, [F64], ["N = 1", "it has 2"]
    yield (
        "list dtype not allowed",
        lambda x: c.conformance_mixed([x]),
        [np.uint16([1])],
        ["uint16"],
    )

    def affine(*bias):
        return c.conformance_affine(tf.ones([2, 3], tf.float64), list(bias))

    yield "optional list of two", affine, [F64, F64], ["bias is optional", "2"]
    yield "optional input's shape", affine, [np.ones(4)], ["3 and 4 differ"]
    yield "optional input's rank", affine, [np.ones([1, 3])], ["bias must have rank 1", "[1,3]"]
    yield "optional input's dtype", affine, [F32], ["float"]

    def gate(open_at):
        return c.conformance_gate(np.int8([1]), np.float64([1]), open_at=open_at)

    yield "attribute out of range", lambda: gate(5), [], ["open_at must be -1, 0 or 1, it is 5"]
    yield "attribute too wide", lambda: gate(2**40), [], ["open_at", "1099511627776"]
    yield "attribute of other kind", lambda: gate("wide"), [], ["open_at", "int"]
    yield "attribute out of 64 bits", lambda: gate(2**70), [], [""]
    yield (
        "choice that is none",
        lambda: c.conformance_echo_one(mode="ajar"),
        [],
        ["ajar", "open", "closed"],
    )

    for place, number in [("constructor", 1), ("shape", 2), ("shape_of_run", 3), ("compute", 4)]:
        for what in ("invalid_argument", "resource_exhausted", "internal", "unimplemented"):
            yield (
                f"{what} in {place}",
                lambda x, place=place, what=what: c.conformance_throw(x, place=place, what=what),
                [F64],
                [f"an {what} with number {number}"],
            )
    for what, word in [
        ("invalid_argument", "an invalid_argument with number 0"),
        ("runtime_error", "a runtime_error of the standard library"),
        ("bad_alloc", "out of host memory"),
        ("int", "not a std::exception"),
    ]:
        for place in ("constructor", "shape", "shape_of_run", "compute", "parallel"):
            if what != "invalid_argument" or place == "parallel":
                yield (
                    f"{what} thrown in {place}",
                    lambda x, place=place, what=what: c.conformance_throw(
                        x, place=place, what=what
                    ),
                    [np.ones(100_000)],
                    [word],
                )

    def bad_shape(fault):
        return lambda x: c.conformance_bad_shape(x, fault=fault)

    yield "shape forgotten", bad_shape("forgets"), [F32], ["z"]
    yield "shape set twice", bad_shape("twice"), [F32], ["twice", "z"]
    yield "negative shape", bad_shape("negative"), [F32], ["z", "-5"]
    yield "unknown dimension in a run", bad_shape("unknown_dim"), [F32], ["z"]
    yield "unknown rank in a run", bad_shape("unknown_rank"), [F32], ["rank", "z"]
    yield "rank too high", bad_shape("high_rank"), [F32], ["rank 255", "254"]
    yield "size overflows", bad_shape("overflow"), [F32], ["4294967296"]
    yield "size too large", bad_shape("too_large"), [F32], ["36028797018963968"]

    for fault, words in {
        "no_attribute": ["no attribute shiny"],
        "attribute_kind": ["wide is declared as int and read as float"],
        "narrow_attribute": ["wide is 300", "8 bits"],
        "no_input": ["input 7", "has 2"],
        "absent_input": ["extra", "has 0"],
        "no_output": ["output 3", "has 1"],
        "no_dimension": ["dimension 5", "rank 2"],
        "value_of_input": ["x", "ShapeValue"],
        "input_dtype": ["x is float", "reads it as int32"],
        "output_dtype": ["y is float", "reads it as double"],
        "no_tensor": ["tensor 4 of input x"],
        "negative_scratch": ["-3 values"],
        "huge_scratch": ["9007199254740992"],
    }.items():
        yield (
            f"misuse: {fault}",
            lambda x, fault=fault: c.conformance_misuse(x, [], fault=fault),
            [F32],
            words,
        )


def ways(call, arguments):
    """The call eagerly, in graphs that know all or nothing about the arguments, and in XLA."""
    unknown = [tf.TensorSpec(None, tf.as_dtype(x.dtype)) for x in arguments]

    def of_constants():
        # The sum makes TensorFlow's optimiser look at the shapes that the op promises.
        results = tf.nest.flatten(call(*map(tf.constant, arguments)))
        return [y + tf.cast(1, y.dtype) for y in results if y.dtype.is_floating]

    # Not of NumPy's arrays, which TensorFlow silently converts to the default of an attribute.
    yield "eager", lambda: call(*map(tf.constant, arguments))
    yield "graph", lambda: tf.function(call)(*map(tf.constant, arguments))
    yield "graph of constants", tf.function(of_constants)
    yield (
        "jit",
        lambda: tf.function(call, jit_compile=True)(*map(tf.constant, arguments)),
    )
    if arguments:
        yield (
            "graph of unknown shapes",
            lambda: tf.function(call, input_signature=unknown)(*map(tf.constant, arguments)),
        )


def numbered(conformance, core):
    number = 0
    for name, call, arguments, words in cases(conformance, core):
        for way, run in ways(call, arguments):
            yield number, f"{name} ({way})", run, words
            number += 1


def main(conformance_path, core_path, first):
    libraries = map(tf.load_op_library, (conformance_path, core_path))
    for number, name, run, words in numbered(*libraries):
        if number < first:
            continue
        print(json.dumps({"number": number, "name": name}), flush=True)
        result = {"number": number, "name": name, "words": words}
        try:
            run()
        except Exception as error:
            result["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
