"""A new project builds in each of its ways, and works in the TensorFlow that runs this test."""

import json
import re
import subprocess


def shell(folder, environment, command):
    result = subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


USE = """
import sys
import numpy as np
import tensorflow as tf

op = tf.load_op_library(sys.argv[1]).wave_gate
a, b = tf.constant([1.5, -2.0, np.inf]), tf.constant([4.0, 0.5, 0.0])
with tf.GradientTape() as tape:
    tape.watch(a)
    y = tf.function(op)(a, b)
print(*y.numpy(), *tape.gradient(y, a).numpy())
"""
USED = "6.0 -1.0 nan 4.0 0.5 0.0\n"


def test_each_way_builds_and_tests_the_same_op(opwright, tmp_path, program_environment, run_child):
    opwright("new", "wave_gate", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    said = opwright("build", folder, "--test").stdout
    assert "100% tests passed" in said
    assert re.search(r"^\d+ passed\b", said, re.MULTILINE)

    # test.py has been run: here it is only called.
    command = "make all test BUILD=by_make CXX='ccache g++' PYTHON=echo"
    said = shell(folder, program_environment, command)
    assert "[  PASSED  ]" in said
    assert said.endswith("\n-m pytest -q test.py\n")

    shell(
        folder,
        program_environment,
        "cmake -S . -B by_cmake -D opwright_DIR=$(opwright flags --cmake); cmake --build by_cmake;"
        "g++ op.cc -o by_hand.so $(opwright flags)",
    )
    libraries = [folder / way / "libwave_gate.so" for way in ("build", "by_make", "by_cmake")]
    libraries.append(folder / "by_hand.so")
    infos = [json.loads(opwright("info", "--json", path).stdout)["ops"] for path in libraries]
    assert infos[0][0]["name"] == "WaveGate"
    assert all(info == infos[0] for info in infos)
    for path in libraries:
        assert run_child(USE, path).stdout == USED

    said = shell(
        folder,
        program_environment,
        "cmake --build build --target wave_gate_bench > /dev/null;"
        "build/wave_gate_bench --benchmark_filter=CheckShapes$ --benchmark_min_time=0.01",
    )
    assert "CheckShapes" in said


def test_versions_that_cmake_asks_for(opwright, program_environment, tmp_path):
    version = opwright("--version").stdout.split()[1]
    major, minor, _ = map(int, version.split("."))

    def find(wanted):
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CXX)\n"
            f"find_package(opwright {wanted} REQUIRED)\n"
        )
        command = ["cmake", "-B", "build", "-Dopwright_DIR=" + folder]
        return subprocess.run(command, cwd=tmp_path, env=program_environment).returncode == 0

    folder = opwright("flags", "--cmake").stdout.strip()
    assert find("") and find(version) and find(f"{major}.{minor}")
    assert not find(f"{major}.{minor + 1}")
    assert not find(f"{major + 1}.0")


def test_a_planted_overflow_is_reported_with_its_line(opwright, tmp_path):
    opwright("new", "wave_gate", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    text = (folder / "op.cc").read_text()
    planted = text.replace("i < end; ++i) product[i]", "i <= end; ++i) product[i]")
    assert planted != text
    (folder / "op.cc").write_text(planted)
    line = planted[: planted.index("i <= end")].count("\n") + 1
    said = opwright("build", folder, "--sanitize", "address", "--test", code=1)
    assert "AddressSanitizer" in said.stdout
    assert f"/op.cc:{line}" in said.stdout
    assert "a C++ test failed" in said.stderr


NAMES = ["Wise", "RGBToHSV", "Conv2D", "Conv2d", "X2Y3", "A", "ABc", "aB", "My>Op", "My>RGBOp"]


def test_names_of_functions_are_tensorflows(opwright, tmp_path, run_child):
    ops = ""
    for number, name in enumerate(NAMES):
        ops += f"""
struct Op{number} {{
  static constexpr auto Declare() {{
    return opwright::Declare().Name("Test{name}").Input("x: float").Output("y: float");
  }}
  static constexpr auto kNoGradient = "it is a test";
  explicit Op{number}(const opwright::Attributes&) {{}}
  void Shape(opwright::ShapeContext& c) const {{ c.SetOutput(0, c.input(0)); }}
  void Compute(opwright::CpuCall&) const {{}}
}};
OPWRIGHT_OP(Op{number});
"""
    folder = tmp_path / "names"
    folder.mkdir()
    (folder / "op.cc").write_text('#include "opwright/op.h"\n' + ops)
    opwright("build", folder)
    library = folder / "build" / "libnames.so"
    ours = [op["function"] for op in json.loads(opwright("info", "--json", library).stdout)["ops"]]
    code = "import sys, tensorflow as tf; print(*dir(tf.load_op_library(sys.argv[1])))"
    theirs = run_child(code, library).stdout.split()
    assert len(ours) == len(NAMES)
    assert set(ours) <= set(theirs), set(ours) - set(theirs)
