"""What happens before Compute: the shapes are checked and the output is allocated.

"alone" runs the op without TensorFlow, in element_mul_bench. "in a graph" takes off what an op that
does nothing costs. It has no target, for it still includes the four multiplications, the start of
the parallel loop and the freeing of the output, for both alike.
"""

import functools
import json
import pathlib
import subprocess

from bench import in_tensorflow
from bench.harness import Below, Comparison

CORES = 1
CHAIN = 1000
TARGET = Below(200)
RELEASE = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"


def comparisons():
    tf = in_tensorflow.start(threads=CORES)
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.ones([2, 2])
    ops = {
        "opwright": in_tensorflow.ours(tf),
        "classical": in_tensorflow.classical(tf),
        "nothing": in_tensorflow.pass_through(tf),
    }
    graph = {name: in_tensorflow.chain(tf, op, CHAIN, a, b) for name, op in ops.items()}
    in_graph = Comparison("in a graph", graph, per_call=CHAIN, baseline="nothing")
    return [*alone(), in_graph]


def alone():
    program = next(RELEASE.glob("**/element_mul_bench"), None)
    if program is None:
        print("  element_mul_bench is not in build/release: left out", flush=True)
        return []
    return [
        Comparison(
            "alone",
            {"opwright": functools.partial(measure, program)},
            measures={name: "ns" for name in measure(program)},
            target=TARGET,
            rounds=4,
        )
    ]


def measure(program):
    command = [
        program,
        "--benchmark_filter=^CheckShapes",
        "--benchmark_format=json",
        "--benchmark_min_time=0.05",
    ]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    benchmarks = json.loads(answer.stdout)["benchmarks"]
    return {b["name"]: b["cpu_time"] for b in benchmarks if b["time_unit"] == "ns"}
