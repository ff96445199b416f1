"""What may happen to a library in the life of a process: threads, closing, building it again."""

import pytest

SCALE = """
#include "opwright/op.h"

struct {name} {{
  static constexpr auto Declare() {{
    return opwright::Declare().Attr("by: float = 2.0").Input("x: float").Output("y: float");
  }}
  static void Gradient(opwright::Gradient& g) {{
    g.d_input(0) = g.Call("{name}", {{g.d_output(0)}});
  }}
  explicit {name}(const opwright::Attributes& a) : by_({factor} * a.Get<float>("by")) {{}}

  void Shape(opwright::ShapeContext& c) const {{ c.SetOutput(0, c.input(0)); }}

  void Compute(opwright::CpuCall& call) const {{
    auto x = call.input<float>(0);
    auto y = call.output<float>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i] / by_;
  }}

 private:
  float by_;
}};
OPWRIGHT_OP({name});
"""


def scale(bare_compile, folder, name, factor=1, file=None):
    source = SCALE.format(name=name, factor=factor)
    return bare_compile(folder, file or f"lib{name.lower()}.so", source)


@pytest.fixture(scope="module")
def eight(tmp_path_factory, bare_compile):
    folder = tmp_path_factory.mktemp("eight")
    return [scale(bare_compile, folder, f"Scale{i}") for i in range(8)]


# Opening a library holds the loader's lock. Whoever then waits for Python's lock can wait for ever.
THREADS = """
import importlib, sys, threading
import tensorflow as tf
import opwright

how, libraries = sys.argv[1], sys.argv[2:]
start = threading.Barrier(len(libraries) + 2)
stop = threading.Event()
modules = {}

def load(path):
    start.wait()
    modules[path] = opwright.load(path) if how == "opwright" else tf.load_op_library(path)

def import_extensions():
    start.wait()
    for name in ["_bz2", "_lzma", "_sqlite3", "_curses", "_decimal", "_uuid", "_statistics"]:
        try:
            importlib.import_module(name)
        except ImportError:
            pass

def run_ops():
    start.wait()
    while not stop.is_set():
        thread = threading.Thread(target=lambda: tf.constant([1.0, 2.0]) * 2)
        thread.start()
        thread.join()

loaders = [threading.Thread(target=load, args=(path,)) for path in libraries]
others = [threading.Thread(target=f) for f in (import_extensions, run_ops)]
for thread in loaders + others:
    thread.start()
for thread in loaders:
    thread.join()
stop.set()
for thread in others:
    thread.join()
x = tf.constant([1.0, 2.0])
for i, path in enumerate(libraries):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(modules[path], f"scale{i}")(x)
    assert y.numpy().tolist() == [0.5, 1.0]
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5]
print("done")
"""


@pytest.mark.parametrize("how", ["plain", "opwright"])
def test_threads_open_libraries_while_others_import_and_compute(eight, run_child, how):
    assert run_child(THREADS, how, *eight).stdout.split() == ["done"]


def test_a_gradient_in_the_thread_that_opened_the_library(eight, run_child):
    code = """
import sys, threading
import tensorflow as tf

def work():
    op = tf.load_op_library(sys.argv[1]).scale0
    x = tf.constant([4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(x)
    print(tape.gradient(y, x).numpy())

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    assert run_child(code, eight[0]).stdout.strip() == "[0.5]"


def test_a_script_may_use_any_name(eight, run_child):
    code = """
import sys
import tensorflow as tf

bytes = exec = ops = types = 1024
op = tf.load_op_library(sys.argv[1]).scale0
x = tf.constant([4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = op(x)
print(tape.gradient(y, x).numpy())
"""
    assert run_child(code, eight[0]).stdout.strip() == "[0.5]"


def test_an_author_registers_another_gradient(eight, run_child):
    code = """
import sys
import tensorflow as tf

tf.load_op_library(sys.argv[1])
try:
    tf.RegisterGradient("Scale0")(lambda op, d: d)
except KeyError as error:
    print(error)
"""
    assert "Registering two gradient with name 'Scale0'" in run_child(code, eight[0]).stdout


def test_closing_a_library_leaves_its_ops(eight, run_child):
    code = """
import _ctypes, ctypes, sys
import tensorflow as tf

op = tf.load_op_library(sys.argv[1]).scale0
handle = ctypes.CDLL(sys.argv[1])._handle
for _ in range(5):
    _ctypes.dlclose(handle)
print(op([4.0]).numpy())
"""
    assert run_child(code, eight[0]).stdout.strip() == "[2.]"


BUILT_AGAIN = """
import os, shutil, sys
import opwright

old, new = sys.argv[1:]
print(opwright.load(old).rebuilt([4.0]).numpy())
shutil.copy(new, old + ".new")
os.replace(old + ".new", old)
for path in (old, new):
    try:
        opwright.load(path)
    except RuntimeError as error:
        print(error)
"""


def test_a_library_that_was_built_again_is_not_taken_for_the_old_one(
    tmp_path, bare_compile, run_child
):
    old = scale(bare_compile, tmp_path, "Rebuilt", 1, "libold.so")
    new = scale(bare_compile, tmp_path, "Rebuilt", 100, "libnew.so")
    lines = run_child(BUILT_AGAIN, old, new).stdout.splitlines()
    assert lines[0] == "[2.]"
    assert len(lines) == 3
    for line in lines[1:]:
        assert "was built again since" in line and "start Python again" in line


def test_an_attribute_that_differs_in_sign_alone(eight, run_child):
    code = """
import sys
import tensorflow as tf

op = tf.load_op_library(sys.argv[1]).scale0
x = tf.constant([1.0])
for by in (0.0, -0.0):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(x, by=by)
    print(y.numpy(), tape.gradient(y, x).numpy())
"""
    assert run_child(code, eight[0]).stdout.split("\n")[:2] == ["[inf] [inf]", "[-inf] [-inf]"]
