"""`opwright new --api tensorflow`: what it writes builds, without a warning, and passes its tests
in the TensorFlow that runs this test."""

import re
import subprocess
import sys

import pytest


def passed(output):
    return int(re.search(r"^(\d+) passed in ", output, re.MULTILINE)[1])


@pytest.fixture
def make(program_environment):
    """make(folder, *arguments) with this Python; returns the finished process."""

    def run(folder, *arguments):
        return subprocess.run(
            ["make", f"PYTHON={sys.executable}", "CXX=ccache g++", *arguments],
            cwd=folder,
            env=program_environment,
            capture_output=True,
            text=True,
        )

    return run


def test_by_cmake(opwright, tmp_path):
    opwright("new", "wave_gate", "--api", "tensorflow", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    # A deprecated call is a warning, and so an error.
    strict = {"CXXFLAGS": "-Werror"}
    said = opwright("build", folder, "--test", "--python", sys.executable, env=strict).stdout
    library = folder / "build" / "libwave_gate.so"
    assert passed(said) > 70
    assert f"  from wave_gate import wave_gate  # in {folder}\n" in said
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True).stdout
    assert "[libtensorflow_framework.so.2]" in dynamic
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic


def test_opwright_build_by_the_makefile_alone(opwright, tmp_path):
    opwright("new", "wave_gate", "--api", "tensorflow", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    (folder / "CMakeLists.txt").unlink()
    said = opwright("build", folder, "--python", sys.executable).stdout
    assert f"  from wave_gate import wave_gate  # in {folder}\n" in said


def test_by_make_with_a_namespace(opwright, make, run_child, tmp_path):
    # A name that has the template's in it.
    name, options = "my_element_mul", ["--api", "tensorflow", "--namespace", "MyProject"]
    opwright("new", name, *options, cwd=tmp_path)
    folder = tmp_path / name
    result = make(folder, "all", "test", "CXXFLAGS=-O2 -Wall -Wextra -Werror")
    assert result.returncode == 0, result.stdout + result.stderr
    assert passed(result.stdout) > 70

    # As it is shipped: the module, and the library beside it.
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for path in (folder / f"{name}.py", folder / "build" / f"lib{name}.so"):
        path.rename(shipped / path.name)
    code = """
import sys

sys.path.insert(0, sys.argv[1])
import my_element_mul
import tensorflow as tf

graph = tf.function(my_element_mul.my_element_mul).get_concrete_function([1.0], [2.0]).graph
print([node.type for node in graph.get_operations() if node.type.startswith("My")])
"""
    assert run_child(code, shipped).stdout == "['MyProject>MyElementMul']\n"

    result = make(folder, "clean", "PYTHON=no-such-python")
    assert result.returncode == 0 and not (folder / "build").exists()


def test_a_library_that_is_missing(opwright, run_child, tmp_path):
    opwright("new", "wave_gate", "--api", "tensorflow", cwd=tmp_path)
    code = "import sys; sys.path.insert(0, sys.argv[1]); import wave_gate"
    said = run_child(code, tmp_path / "wave_gate", check=False).stderr
    assert f"ImportError: libwave_gate.so is not in {tmp_path / 'wave_gate'}" in said
    said = run_child(
        code, tmp_path / "wave_gate", check=False, env={"WAVE_GATE_LIBRARY": "/nowhere.so"}
    ).stderr
    assert "now that is '/nowhere.so'." in said


def test_a_python_without_tensorflow(opwright, make, program_environment, tmp_path):
    opwright("new", "wave_gate", "--api", "tensorflow", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)

    said = opwright("build", folder, "--python", python, code=1).stderr
    assert f"{folder} is built with TensorFlow's headers, and there is no Python with" in said

    result = make(folder, f"PYTHON={python}")
    assert result.returncode != 0
    assert f"{sys.executable} has no TensorFlow: install it there, or let PYTHON" in result.stderr

    result = subprocess.run(
        ["cmake", "-B", "build", f"-DPYTHON={python}"],
        cwd=folder,
        env=program_environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert f"{sys.executable} has no TensorFlow: install it there, or let PYTHON" in result.stderr
    assert "say -D PYTHON=/path/to/python" in " ".join(result.stderr.split())


def test_no_sanitizer(opwright, tmp_path):
    opwright("new", "wave_gate", "--api", "tensorflow", cwd=tmp_path)
    said = opwright("build", "wave_gate", "--sanitize", "address", code=2, cwd=tmp_path).stderr
    assert "wave_gate has ops in TensorFlow's own API" in said
