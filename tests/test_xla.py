"""XLA in processes of their own: order of loading, clusters, memory, programs kept on disk."""

import json

import pytest
import tensorflow as tf

MINOR = int(tf.__version__.split(".")[1])

AFTER_THE_FIRST_COMPILATION = """
import sys
import tensorflow as tf

jit = lambda f: tf.function(f, jit_compile=True, autograph=False)
print(jit(lambda x: x + 1)(1.0).numpy())
for path in sys.argv[1:]:
    m = tf.load_op_library(path)
    if hasattr(m, "opwright_element_mul"):
        print(jit(lambda x: m.opwright_element_mul(x, x) + 1)(3.0).numpy())
    else:
        print(jit(lambda x: m.conformance_fill(tf.shape(x), 2.0))([0.0]).numpy())
"""


def test_loaded_after_the_first_compilation(run_child, core_path, conformance_path):
    said = run_child(AFTER_THE_FIRST_COMPILATION, core_path, conformance_path).stdout
    assert said.split() == ["2.0", "10.0", "[2.]"]


CLUSTERS = """
import sys
import tensorflow as tf

m = tf.load_op_library(sys.argv[1])

@tf.function
def run(x):
    y, taken_over = m.conformance_negate(tf.sin(x))
    return tf.tanh(y) + x, taken_over

y, taken_over = run(tf.constant([0.5, 1.0]))
y, taken_over = run(tf.constant([0.5, 1.0]))
print(int(taken_over), bool(tf.reduce_all(tf.abs(y - (tf.tanh(-tf.sin([0.5, 1.0])) + [0.5, 1.0]))
                                          < 1e-6)))
"""
AUTO = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit --tf_xla_min_cluster_size=1"


@pytest.mark.parametrize("flags, taken_over", [(None, 1), (AUTO, 0)])
def test_automatic_clustering(run_child, conformance_path, flags, taken_over):
    """An op in a cluster never takes over its input's buffer; outside it does."""
    said = run_child(CLUSTERS, conformance_path, env={"TF_XLA_FLAGS": flags}).stdout
    assert said.split() == [str(taken_over), "True"]


MANY = """
import sys
import tensorflow as tf

ours = tf.load_op_library(sys.argv[1]).opwright_element_mul
multiply = {"ours": ours, "TensorFlow's": tf.multiply}[sys.argv[2]]

@tf.function(jit_compile=True, autograph=False)
def run(x):
    return multiply(x, x)

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

for n in range(1, 51):
    run(tf.ones([n]))
before = resident()
for n in range(51, 1051):
    run(tf.ones([n]))
print((resident() - before) // 1024)
"""


def test_memory_of_many_compilations(run_child, core_path):
    """In MiB. TensorFlow keeps each compiled program, whatever is in it."""
    grown = {
        whose: int(run_child(MANY, core_path, whose, timeout=280).stdout)
        for whose in ("ours", "TensorFlow's")
    }
    print("1000 compilations, MiB:", grown)
    assert grown["ours"] <= 1.1 * grown["TensorFlow's"] + 8


SAME_NAME = """
#include "opwright/op.h"

struct Kept {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Test>Kept").Attr("times: float").Input("x: float").Output(
        "y: float");
  }
  static constexpr auto kNoGradient = "it is a test of programs kept on disk";
  explicit Kept(const opwright::Attributes& a) : times_(a.Get<float>("times")) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<float>(0);
    auto y = call.output<float>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i] OPERATOR times_;
  }
  float times_;
};
OPWRIGHT_OP(Kept);
"""

USE_KEPT = """
import json, os, sys, time
import tensorflow as tf

m = tf.load_op_library(sys.argv[1])
run = tf.function(lambda x: m.test_kept(x, times=float(sys.argv[2])), jit_compile=True)
print(json.dumps([run(tf.constant([3.0])).numpy().tolist()[0], sorted(os.listdir(sys.argv[3]))]))
"""


@pytest.mark.skipif(MINOR < 16, reason="the cache of TensorFlow 2.15 fails on a CPU by itself")
def test_programs_kept_on_disk(run_child, bare_compile, tmp_path):
    libraries = {}
    for name, operator in {"times": "*", "plus": "+"}.items():
        (tmp_path / name).mkdir()
        source = SAME_NAME.replace("OPERATOR", operator)
        libraries[name] = bare_compile(tmp_path / name, "libkept.so", source)
    cache = tmp_path / "cache"
    cache.mkdir()

    def run(library, times):
        flags = f"--tf_xla_persistent_cache_directory={cache}"
        said = run_child(USE_KEPT, libraries[library], times, cache, env={"TF_XLA_FLAGS": flags})
        return json.loads(said.stdout)

    first, kept = run("times", 2)
    assert first == 6 and len(kept) == 1
    written = (cache / kept[0]).stat().st_mtime_ns
    assert run("times", 2) == [6, kept]
    assert (cache / kept[0]).stat().st_mtime_ns == written
    # Another attribute is another program.
    other, more = run("times", 5)
    assert other == 15 and len(more) == 2
    # The library was changed, the call is the same: the kept program calls what is there now.
    assert run("plus", 2) == [5, more]


FICKLE = """
#include <cstdlib>

#include "opwright/op.h"

struct Fickle {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Test>Fickle").Input("x: float").Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test of shapes";
  explicit Fickle(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, {std::atoi(std::getenv("SIZE"))}); }
  void Compute(opwright::CpuCall& call) const {
    for (float& y : call.output<float>(0)) y = 1;
  }
};
OPWRIGHT_OP(Fickle);
"""

USE_FICKLE = """
import os, sys
import tensorflow as tf

m = tf.load_op_library(sys.argv[1])
run = tf.function(lambda x: m.test_fickle(x), jit_compile=True)
for size in ("2", "1000000", "2"):
    os.environ["SIZE"] = size
    try:
        print(*run(tf.constant([3.0])).numpy())
    except tf.errors.OpError as error:
        print(error.message.splitlines()[0])
"""


def test_shape_is_asked_before_each_run(run_child, bare_compile, tmp_path):
    """A program can come from another process, and the library have been built again since."""
    library = bare_compile(tmp_path, "libfickle.so", FICKLE)
    child = run_child(USE_FICKLE, library, env={"SIZE": "2"})
    first, refused, again = child.stdout.splitlines()
    assert (first, again) == ("1.0 1.0", "1.0 1.0")
    assert (
        "Test>Fickle (x: float [1]): the program was compiled with output y of shape [2], the op "
        "library now says [1000000]: it was built again; compile the program again" in refused
    )


ALIGNED = """
#include "opwright/op.h"

// How far from a multiple of 64 its buffers lie: input, outputs, scratch.
struct Aligned {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Test>Aligned").Input("x: float").Output("y: float").Output(
        "off: int64");
  }
  static constexpr auto kNoGradient = "it is a test of addresses";
  explicit Aligned(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, c.input(0));
    c.SetOutput(1, {4});
  }
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<float>(0);
    auto y = call.output<float>(0);
    auto off = call.output<int64_t>(1);
    const void* buffers[] = {x.data(), y.data(), off.data(), call.scratch<char>(3)};
    for (int i = 0; i < 4; ++i) off[i] = reinterpret_cast<uintptr_t>(buffers[i]) % 64;
    for (int64_t i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
  }
};
OPWRIGHT_OP(Aligned);
"""

USE_ALIGNED = """
import sys
import tensorflow as tf

op = tf.load_op_library(sys.argv[1]).test_aligned

def run(x):
    results = []
    for n in range(1, 12):
        part = tf.sin(x)[:n]
        y, off = op(part)
        z, off_of_last = op(y + 1)
        results += [off, off_of_last, tf.cast(1e6 * (z - 2 * (2 * part + 1)), tf.int64)]
    return tf.concat(results, 0)

for jit in (False, True):
    print(int(tf.reduce_max(tf.abs(tf.function(run, jit_compile=jit)(tf.ones([11]))))))
"""


def test_alignment(run_child, bare_compile, tmp_path):
    """Up to TensorFlow 2.18, XLA's own buffers are aligned to 16 bytes, and an op's to 64."""
    library = bare_compile(tmp_path, "libaligned.so", ALIGNED)
    assert run_child(USE_ALIGNED, library).stdout.split() == ["0", "0"]
