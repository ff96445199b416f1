"""Which ways to use an op work in the TensorFlow of this Python.

    python -P tests/version_table.py                one JSON line: "yes" or "no: why" for each way
    python -P tests/version_table.py --show FILE    such lines as a table; fails at any "no"

Each way is a small check in a process of its own, so that none can spoil or end another. The
checks are quick: how well each way works is for the tests, which `make matrix` runs too.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ROOT / "opwright" / "lib" / "libopwright_core.so"
CONFORMANCE = "conformance/libopwright_conformance.so"  # in the folder of the build
CLIENT = ROOT / "examples" / "cpp_client"
LIMIT = 240  # seconds; compiling the C++ client takes most, on a busy machine

# Products and gradients of these are exact in floats, and so compared with ==.
A, B = [1.0, 2.0, -3.0], [4.0, -5.0, 0.5]
A_TIMES_B = [4.0, -10.0, -1.5]


class Libraries:
    """The op libraries under test, opened by tf.load_op_library alone."""

    def __init__(self, core, conformance):
        import tensorflow as tf

        self.core_path = core
        self.core = tf.load_op_library(core)
        self.conformance = tf.load_op_library(conformance)
        self.mul = self.core.opwright_element_mul


def equal(got, expected, what):
    import numpy as np

    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape or not np.all(got == expected):
        raise AssertionError(f"{what} is {got.tolist()}, not {expected.tolist()}")


def close(got, expected, what):
    import numpy as np

    if not np.allclose(got, expected, rtol=1e-6, atol=0):
        raise AssertionError(f"{what} is {np.asarray(got)}, not {np.asarray(expected)}")


# ---- the checks ----------------------------------------------------------------------------------


def check_load(ops):
    """The libraries open, and their ops are functions."""
    for function in (ops.mul, ops.conformance.conformance_repeat):
        if not callable(function):
            raise AssertionError(f"{function} is no function")


def check_eager(ops):
    import tensorflow as tf

    for dtype in ("float16", "bfloat16", "float32", "float64", "int32", "int64"):
        a, b = (tf.cast(tf.constant([2, -3]), dtype) for _ in range(2))
        equal(tf.cast(ops.mul(a, b), tf.float32), [4, 9], f"element_mul of {dtype}")
    equal(ops.mul(A, B), A_TIMES_B, "element_mul")
    positive, negative, sign = ops.conformance.conformance_split_sign(A)
    equal(positive, [1, 2, 0], "split_sign's first output")
    equal(negative, [0, 0, 3], "split_sign's second output")
    equal(sign, [1, 1, -1], "split_sign's third output")
    total = ops.conformance.conformance_weighted_sum([A, B], weights=[1.0, 2.0])
    equal(total, [9, -8, -2], "weighted_sum")


def check_graph(ops):
    """Graphs in which no shape is known, in which a part is, and a shape that hangs on a value."""
    import tensorflow as tf

    unknown, times = tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.int64)
    multiply = tf.function(ops.mul, input_signature=[unknown, unknown])
    equal(multiply(tf.constant(A), tf.constant(B)), A_TIMES_B, "element_mul in a graph")
    partly = [tf.TensorSpec([None, 3]), tf.TensorSpec([2, None])]
    shape = tf.function(ops.mul).get_concrete_function(*partly).output_shapes
    equal(shape.as_list(), [2, 3], "the shape of element_mul's output in a graph")
    repeat = tf.function(ops.conformance.conformance_repeat, input_signature=[unknown, times])
    repeated = repeat(tf.constant(A), tf.constant([2, 0, 1], tf.int64))
    equal(repeated, [1, 1, -3], "repeat in a graph")


def check_gradient(ops):
    """By a tape, eagerly; by tf.gradients, in a graph."""
    import tensorflow as tf

    a, b = tf.constant(A), tf.constant(B)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = ops.mul(a, b)
    d_a, d_b = tape.gradient(y, [a, b])
    equal(d_a, B, "the tape's gradient in a")
    equal(d_b, A, "the tape's gradient in b")

    @tf.function
    def symbolic(a, b):
        y = ops.conformance.conformance_weighted_sum([ops.mul(a, b), a], weights=[1.0, 2.0])
        return tf.gradients(y, [a, b])

    d_a, d_b = symbolic(a, b)
    equal(d_a, tf.constant(B) + 2, "tf.gradients in a")
    equal(d_b, A, "tf.gradients in b")


def second_order(ops, x):
    """Of x³ by element_mul, and of exp(x) * x: first and second derivative."""
    import tensorflow as tf

    results = []
    for function in (
        lambda x: ops.mul(ops.mul(x, x), x),
        lambda x: ops.conformance.conformance_exp_mul(x, x, rate=1.0),
    ):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        results += [first, outer.gradient(first, x)]
    return results


def compare_second_order(ops, run, where):
    import numpy as np
    import tensorflow as tf

    x = np.float32(A)
    cubic, cubic_second, product, product_second = run(tf.constant(x))
    equal(cubic, 3 * x * x, "the gradient of x³" + where)
    equal(cubic_second, 6 * x, "the second gradient of x³" + where)
    close(product, np.exp(x) * (1 + x), "the gradient of x * exp(x)" + where)
    close(product_second, np.exp(x) * (2 + x), "the second gradient of x * exp(x)" + where)


def check_second_order(ops):
    import tensorflow as tf

    compare_second_order(ops, lambda x: second_order(ops, x), ", eagerly,")
    compare_second_order(ops, tf.function(lambda x: second_order(ops, x)), " in a graph")


RELOAD = """
import sys
import tensorflow as tf

tf.load_op_library(sys.argv[1])
model = tf.saved_model.load(sys.argv[2])
with tf.GradientTape() as tape:
    y = model.multiply(tf.constant([1.0, 2.0, -3.0]))
print(*y.numpy(), *tape.gradient(y, model.factor).numpy())
assert "opwright" not in sys.modules, "the package opwright was imported"
"""


def check_saved_model(ops):
    """Saved here; loaded, run and differentiated where nothing but the op library is opened."""
    import tensorflow as tf

    model = tf.Module()
    model.factor = tf.Variable(B)
    model.multiply = tf.function(
        lambda x: ops.mul(x, model.factor), input_signature=[tf.TensorSpec(None, tf.float32)]
    )
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        output = output_of([sys.executable, "-P", "-c", RELOAD, ops.core_path, folder])
    values = [float(word) for word in output.split()]
    equal(values, A_TIMES_B + A, "what the reloaded model gives, value and gradient,")


def check_jit(ops):
    """With jit_compile=True: TensorFlow compiles all of the function, or raises."""
    import tensorflow as tf

    multiply = tf.function(ops.mul, jit_compile=True)
    equal(multiply(tf.constant(A), tf.constant(B)), A_TIMES_B, "element_mul, compiled,")
    compiled = tf.function(lambda x: second_order(ops, x), jit_compile=True)
    compare_second_order(ops, compiled, ", compiled,")


def check_cpp_client(ops):
    """The example in C++, built for this TensorFlow and run."""
    with tempfile.TemporaryDirectory() as folder:
        variables = [f"PYTHON={sys.executable}", f"BUILD={folder}", f"LIBRARY={ops.core_path}"]
        output = output_of(["make", "-C", str(CLIENT), "run", *variables])
    lines = [line.split() for line in output.splitlines()]
    for name, expected in (("y", "1 8 27"), ("dy/da", "3 12 27"), ("d2y/da2", "6 12 18")):
        equal([line[1:] for line in lines if line[:1] == [name]], [expected.split()], name)


CHECKS = {
    "load": check_load,
    "eager": check_eager,
    "graph": check_graph,
    "gradient": check_gradient,
    "second order": check_second_order,
    "SavedModel": check_saved_model,
    "jit": check_jit,
    "C++ client": check_cpp_client,
}


# ---- running them --------------------------------------------------------------------------------


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def last_line(text):
    return first_line("\n".join(reversed(text.splitlines())))


def output_of(command):
    """What a command writes; if it fails, an error with the last line of what it complains of."""
    # Under `make matrix`, make would take a make below for a part of itself.
    outside = {k: v for k, v in os.environ.items() if k[:4] != "MAKE" and k != "MFLAGS"}
    child = subprocess.run(command, capture_output=True, text=True, env=outside)
    if child.returncode:
        why = last_line(child.stderr) or last_line(child.stdout)
        raise RuntimeError(f"{pathlib.Path(command[0]).name} ended with {child.returncode}: {why}")
    return child.stdout


def check(name, core, conformance):
    """In the child: None, or the error in one line."""
    try:
        CHECKS[name](Libraries(core, conformance))
    except Exception as error:
        text = str(error)
        # While a graph is built, TensorFlow puts the stack before the message.
        line = last_line(text) if text.startswith("in user code:") else first_line(text)
        return f"{type(error).__name__}: {line}"
    return None


def result_of(name, core, conformance):
    """In the parent: "yes", or "no: " and the reason."""
    command = [sys.executable, "-P", __file__, "--check", name]
    command += ["--core", core, "--conformance", conformance]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"no: it was not done in {LIMIT} s"
    if child.returncode == 0:
        return "yes"
    if child.returncode < 0:
        why = f"ended by {signal.Signals(-child.returncode).name}: {last_line(child.stderr)}"
    else:
        why = last_line(child.stdout) or last_line(child.stderr)
    # A library whose ops cannot be registered opens all the same, and tells it in such a line.
    ours = [line for line in child.stderr.splitlines() if line.startswith("opwright: ")]
    return "no: " + "; ".join([why, *ours[:1]])


def version():
    from importlib import metadata

    for distribution in ("tensorflow", "tensorflow-cpu"):
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    sys.exit(f"{sys.executable} has no TensorFlow: run scripts/setup.sh matrix.")


def tests_of(log):
    """The counts in pytest's closing line, as in "812 passed, 3 skipped", and why tests skip."""
    text = pathlib.Path(log).read_text(errors="replace")
    closing = re.findall(r"^=* ?([0-9]+ [^=]*) in [0-9.]+s", text, re.MULTILINE)
    if not closing:
        return "no result: pytest did not come to its end", []
    counts = re.sub(r", [0-9]+ warnings?", "", closing[-1])
    return counts, re.findall(r"^SKIPPED \[[0-9]+\] (.*)", text, re.MULTILINE)


PASSED = re.compile(r"[0-9]+ passed(, [0-9]+ (skipped|deselected|xfailed))*")


def show(file):
    """Prints the rows as a table, and below it each reason. True if all is "yes" and passed."""
    rows = [json.loads(line) for line in pathlib.Path(file).read_text().splitlines()]
    columns = ["TensorFlow", *CHECKS, "tests"]
    table, reasons, skipped = [columns], [], []
    for row in rows:
        for column in CHECKS:
            if row[column] != "yes":
                reasons.append(f"{row['TensorFlow']}, {column}: {row[column]}")
        if not PASSED.fullmatch(row["tests"]):
            reasons.append(f"{row['TensorFlow']}, tests: {row['tests']}")
        skipped += [f"{row['TensorFlow']}, skipped: {why}" for why in row["skipped"]]
        table.append([row[column].partition(":")[0] for column in columns])
    widths = [max(len(cells[i]) for cells in table) for i in range(len(columns))]
    table.insert(1, ["-" * width for width in widths])
    for cells in table:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths))
        print("| " + " | ".join(padded) + " |")
    for line in skipped + reasons:
        print(line)
    return bool(rows) and not reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build = os.environ.get("OPWRIGHT_TEST_BUILD") or ROOT / "build" / "dev"
    parser.add_argument("--core", default=str(CORE))
    parser.add_argument("--conformance", default=str(pathlib.Path(build).resolve() / CONFORMANCE))
    parser.add_argument("--name", help="how the row is called, if not as the version")
    parser.add_argument(
        "--pytest-log", metavar="FILE", help="what pytest wrote, for the last column"
    )
    parser.add_argument("--only", help="this column alone")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--check", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show:
        return 0 if show(options.show) else 1
    if options.check:
        why = check(options.check, options.core, options.conformance)
        if why:
            print(why)
        return 1 if why else 0
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    names = [options.only] if options.only else list(CHECKS)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = pool.map(lambda n: result_of(n, options.core, options.conformance), names)
        row = {"TensorFlow": options.name or version(), **dict(zip(names, results))}
    log = options.pytest_log
    row["tests"], row["skipped"] = tests_of(log) if log else ("not run", [])
    print(json.dumps(row, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
