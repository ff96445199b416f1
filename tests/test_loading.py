"""How an op library is opened: by any path, in any order, with and without the package."""

import hashlib
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

OP = """
#include "opwright/op.h"

struct NAME {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare().Attr<T>("T").Input("x: T").Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("NAME", {g.d_output(0)});
  }
  explicit NAME(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    call.ParallelFor(y.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = FACTOR * x[i];
    });
  }
};
OPWRIGHT_OP(NAME);
"""


@pytest.fixture(scope="session")
def libraries(bare_compile, tmp_path_factory):
    """Op libraries by name. `triple` and `impostor` differ, but their ops have one name."""
    folder = tmp_path_factory.mktemp("libraries")

    def make(file, name, factor):
        source = OP.replace("NAME", name).replace("FACTOR", str(factor))
        return bare_compile(folder, file, source)

    return {
        "triple": make("libtriple.so", "LoadingTriple", 3),
        "impostor": make("libimpostor.so", "LoadingTriple", 30),
        "fivefold": make("libfivefold.so", "LoadingFivefold", 5),
        "mat_mul": make("libmat_mul.so", "MatMul", 7),
    }


# ---- in one process ------------------------------------------------------------------------------


def test_opened_again_by_other_paths(libraries, run_child, tmp_path):
    """Plainly that is harmless; opwright.load returns working functions for each of the paths."""
    link, copy = tmp_path / "liblink.so", tmp_path / "libcopy.so"
    link.symlink_to(libraries["triple"])
    shutil.copy(libraries["triple"], copy)
    code = """
import os, sys
import tensorflow as tf

path, link, copy = sys.argv[1:]
x = tf.constant([1.0, 2.0])
for again in range(2):
    print(*tf.load_op_library(path).loading_triple(x).numpy())
for other in (link, copy, os.path.relpath(path)):
    tf.load_op_library(other)

import opwright

for each in (path, link, copy, os.path.relpath(copy)):
    module = opwright.load(each)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = module.loading_triple(x)
    print(*y.numpy(), *tape.gradient(y, x).numpy())
"""
    child = run_child(code, libraries["triple"], link, copy)
    assert child.stdout.splitlines() == ["3.0 6.0"] * 2 + ["3.0 6.0 3.0 3.0"] * 4
    assert "opwright:" not in child.stderr


def test_opened_before_tensorflow(libraries, run_child):
    code = """
import ctypes, sys

ctypes.CDLL(sys.argv[1])
assert "tensorflow" not in sys.modules
import opwright

module = opwright.load(sys.argv[1])
import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = module.loading_triple(x)
print(*y.numpy(), *tape.gradient(y, x).numpy())
"""
    child = run_child(code, libraries["triple"])
    assert child.stdout.splitlines() == ["3.0 6.0 3.0 3.0"]
    assert "was opened before TensorFlow" in child.stderr
    assert "libtriple.so" in child.stderr
    assert "opwright.load" in child.stderr


CLASH = """
import sys
import opwright
import tensorflow as tf

triple, fivefold, clashing, way = sys.argv[1:]
first, second = opwright.load(triple), opwright.load(fivefold)
print(sorted(name for name in vars(first) if "loading" in name))
print(sorted(name for name in vars(second) if "loading" in name))
if way == "plain":
    tf.load_op_library(clashing)
else:
    try:
        opwright.load(clashing)
    except RuntimeError as error:
        print("refused:", error)
x = tf.constant([1.0, 2.0])
print(*first.loading_triple(x).numpy(), *second.loading_fivefold(x).numpy())
print(*tf.matmul([[2.0]], [[3.0]]).numpy())
"""


@pytest.mark.parametrize("way", ["plain", "load"])
@pytest.mark.parametrize(
    "clashing, name", [("impostor", "LoadingTriple"), ("mat_mul", "MatMul")], ids=["ours", "theirs"]
)
def test_two_ops_of_one_name(libraries, run_child, clashing, name, way):
    """The second is refused in a sentence, the first goes on working; tables are kept apart."""
    paths = [libraries[file] for file in ("triple", "fivefold", clashing)]
    child = run_child(CLASH, *paths, way)
    ours, other, *refused, values, product = child.stdout.splitlines()
    assert (ours, other) == ("['loading_triple']", "['loading_fivefold']")
    assert (values, product) == ("3.0 6.0 5.0 10.0", "[6.]")
    said = child.stderr if way == "plain" else refused[0]
    (sentence,) = [line for line in said.splitlines() if "are not registered" in line]
    assert name in sentence and paths[2].name in sentence


def test_what_is_no_op_library(bare_compile, run_child, tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no library")
    plain = bare_compile(tmp_path, "plain.so", "int f() { return 0; }\n")
    code = """
import sys
import opwright

for path in sys.argv[1:]:
    try:
        opwright.load(path)
    except Exception as error:
        print(type(error).__name__, error)
"""
    absent = tmp_path / "absent.so"
    said = run_child(code, absent, text, plain).stdout.splitlines()
    for line, kind, path in zip(
        said, ["FileNotFoundError", "ValueError", "ValueError"], [absent, text, plain]
    ):
        assert line.startswith(kind) and str(path) in line
    assert len(said) == 3


# ---- where the bridge is looked for --------------------------------------------------------------


@pytest.fixture(scope="session")
def future_tensorflow(bare_compile, tmp_path_factory):
    """A library that passes for a TensorFlow of which nobody has a bridge."""
    source = 'extern "C" const char* TF_Version() { return "2.99.0-rc1"; }\n'
    return bare_compile(tmp_path_factory.mktemp("future"), "libtensorflow_cc.so.2", source)


WITHOUT_BRIDGE = """
import ctypes, sys

ctypes.CDLL(sys.argv[1])
library = ctypes.CDLL(sys.argv[2])
message = ctypes.c_char_p()
library.opwright_init.restype = ctypes.c_void_p
assert library.opwright_init(ctypes.byref(message))
print(message.value.decode())
"""


def test_no_bridge_for_this_version(libraries, future_tensorflow, run_child, tmp_path):
    child = run_child(
        WITHOUT_BRIDGE,
        future_tensorflow,
        libraries["triple"],
        env={"OPWRIGHT_BRIDGE_DIR": tmp_path},
    )
    for text in (child.stdout, child.stderr):
        assert "no bridge for TensorFlow 2.99.0-rc1" in text
        assert "libopwright_bridge_tf2.99.so" in text
        assert "`opwright bridge`" in text
    assert str(libraries["triple"]) in child.stderr


def test_no_bridge_by_load_and_plainly(libraries, future_tensorflow, run_child):
    """TensorFlow itself is untouched by it."""
    code = """
import ctypes, sys

ctypes.CDLL(sys.argv[1])
import opwright
import tensorflow as tf

print(hasattr(tf.load_op_library(sys.argv[2]), "loading_triple"))
try:
    opwright.load(sys.argv[2])
except RuntimeError as error:
    print(error)
print(*(tf.constant([1.0]) + 1).numpy())
"""
    child = run_child(code, future_tensorflow, libraries["triple"])
    plain, refused, works = child.stdout.splitlines()
    assert (plain, works) == ("False", "2.0")
    assert "no bridge for TensorFlow 2.99.0-rc1" in refused
    assert "no bridge for TensorFlow 2.99.0-rc1" in child.stderr


@pytest.mark.parametrize(
    "content, said",
    [
        (None, "the bridge for TensorFlow 2.99.0-rc1 does not open"),
        ("int f() { return 0; }", "this bridge is of another opwright"),
    ],
    ids=["broken", "foreign"],
)
def test_bridge_that_is_none(
    libraries, future_tensorflow, bare_compile, run_child, tmp_path, content, said
):
    bridge = tmp_path / "libopwright_bridge_tf2.99.so"
    if content is None:
        bridge.write_text("no library")
    else:
        bare_compile(tmp_path, bridge.name, content)
    env = {"OPWRIGHT_BRIDGE_DIR": tmp_path}
    child = run_child(WITHOUT_BRIDGE, future_tensorflow, libraries["triple"], env=env)
    assert said in child.stdout and str(bridge) in child.stdout


def test_no_tensorflow_at_all(libraries, run_child):
    code = WITHOUT_BRIDGE.replace("ctypes.CDLL(sys.argv[1])", "")
    child = run_child(code, "", libraries["triple"])
    assert child.stdout.strip() == "no TensorFlow is loaded in this process"
    assert "was opened before TensorFlow" in child.stderr


def copy_bridges(folder, pattern):
    for bridge in (ROOT / "opwright" / "lib").glob(pattern):
        shutil.copy(bridge, folder)


@pytest.mark.parametrize("place", ["OPWRIGHT_BRIDGE_DIR", "beside the library"])
def test_bridge_is_taken_from(libraries, run_child, tmp_path, place):
    copy_bridges(tmp_path, "libopwright_bridge_*.so")
    library = libraries["triple"]
    env = {"OPWRIGHT_BRIDGE_DIR": tmp_path}
    if place != "OPWRIGHT_BRIDGE_DIR":
        library = shutil.copy(library, tmp_path)
        env = {"OPWRIGHT_BRIDGE_DIR": None}
    code = """
import sys
import tensorflow as tf

print(*tf.load_op_library(sys.argv[1]).loading_triple([1.0]).numpy())
print(*{line.split()[-1] for line in open("/proc/self/maps") if "libopwright_bridge" in line})
"""
    value, bridges = run_child(code, library, env=env).stdout.splitlines()
    assert value == "3.0"
    assert len(bridges.split()) == 2
    assert {pathlib.Path(bridge).parent for bridge in bridges.split()} == {tmp_path.resolve()}


@pytest.mark.parametrize(
    "content, said",
    [
        (None, "cannot open shared object file"),
        ("no library", "file too short"),
        ("int f() { return 0; }", "is of another opwright than the library beside it"),
        (
            'struct { const char* version; unsigned long size; } opwright_cc = {"0.0.1", 8};',
            "is of another opwright than the library beside it",
        ),
    ],
    ids=["absent", "broken", "foreign", "old"],
)
def test_a_bridge_without_its_second_library(
    libraries, run_child, bare_compile, tmp_path, content, said
):
    """Ops work, and what does not is said with the cure."""
    copy_bridges(tmp_path, "libopwright_bridge_tf*.so")
    for bridge in list(tmp_path.glob("*.so")) if content else ():
        second = bridge.name.replace("bridge_tf", "bridge_cc_tf")
        if content == "no library":
            (tmp_path / second).write_text(content)
        else:
            bare_compile(tmp_path, second, content.replace("int f", 'extern "C" int f'))
    code = """
import sys
import tensorflow as tf

triple = tf.load_op_library(sys.argv[1]).loading_triple
print(*triple([1.0]).numpy())
try:
    tf.function(triple, jit_compile=True)(tf.constant([1.0]))
except tf.errors.InvalidArgumentError as error:
    print("No registered" in str(error) and "XLA_CPU_JIT" in str(error))
"""
    child = run_child(code, libraries["triple"], env={"OPWRIGHT_BRIDGE_DIR": tmp_path})
    assert child.stdout.split() == ["3.0", "True"]
    assert (
        "opwright: jit_compile=True and C++ gradients do not know the ops, because" in child.stderr
    )
    assert said in child.stderr and "`opwright bridge` builds both" in child.stderr


# ---- without the package -------------------------------------------------------------------------

ALONE = """
import sys
import tensorflow as tf

module = tf.load_op_library(sys.argv[1])
x = tf.constant([1.0, 2.0, 3.0])
for call in (module.loading_triple, tf.function(module.loading_triple)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    print(*y.numpy(), *tape.gradient(y, x).numpy())
assert "opwright" not in sys.modules
print(tf.__version__)
"""


def bridges_for(python):
    """The file of the bridge that a Python's TensorFlow needs; nothing if it has none."""
    site_packages = next(python.parents[1].glob("lib/python3*/site-packages"), None)
    for metadata in site_packages.glob("tensorflow*-2.*.dist-info") if site_packages else ():
        minor = metadata.name.split("-")[1].split(".")[1]
        yield f"libopwright_bridge_tf2.{minor}.so"


def test_one_file_for_all_versions(libraries):
    """Every environment of this checkout with a bridge: the oldest TensorFlow and the newest."""
    pythons = [
        python
        for python in sorted(ROOT.glob(".venv*/bin/python"))
        if any((ROOT / "opwright" / "lib" / name).exists() for name in bridges_for(python))
    ]
    if len(pythons) < 2:
        pytest.skip("there is one environment only")
    checksum = hashlib.sha256(libraries["triple"].read_bytes()).hexdigest()
    versions = set()
    for python in pythons:
        child = subprocess.run(
            [python, "-P", "-c", ALONE, libraries["triple"]],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": ""},
        )
        assert child.returncode == 0, child.stderr[-4000:]
        *results, version = child.stdout.splitlines()
        assert results == ["3.0 6.0 9.0 3.0 3.0 3.0"] * 2
        versions.add(version)
    assert len(versions) >= 2
    assert hashlib.sha256(libraries["triple"].read_bytes()).hexdigest() == checksum


SAVE = """
import sys
import tensorflow as tf

op = tf.load_op_library(sys.argv[1]).opwright_element_mul
model = tf.Module()
model.mask = tf.Variable([1.0, 1.0, 1.0])
model.apply = tf.function(
    lambda x: op(x, tf.broadcast_to(model.mask, tf.shape(x))),
    input_signature=[tf.TensorSpec([None, 3], tf.float32)],
)
tf.saved_model.save(model, sys.argv[2])
"""

TRAIN = """
import sys
import tensorflow as tf

tf.load_op_library(sys.argv[1])
model = tf.saved_model.load(sys.argv[2])
x = tf.constant([[1.0, -1.0, 0.5], [0.5, 2.0, 1.0]])
wanted = x * [0.25, -1.0, 3.0]
for _ in range(300):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((model.apply(x) - wanted) ** 2)
    model.mask.assign_sub(0.1 * tape.gradient(loss, model.mask))
print(*model.mask.numpy())
assert "opwright" not in sys.modules
"""


def test_reloaded_model_trains_on(core_path, run_child, tmp_path):
    run_child(SAVE, core_path, tmp_path)
    mask = [float(word) for word in run_child(TRAIN, core_path, tmp_path).stdout.split()]
    assert mask == pytest.approx([0.25, -1.0, 3.0], abs=1e-3)
