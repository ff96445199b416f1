"""`opwright bridge`: for a TensorFlow whose version is in no list, and where it cannot be built."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Where versions differ, one that is in no list is taken for the newest; so it must be like it.
NEWEST = ROOT / ".venv" / "bin" / "python"


def make_python(folder, version, tensorflow=None):
    """A Python whose TensorFlow says that it is `version`; its folder is a link to `tensorflow`."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    if tensorflow:
        (packages / "tensorflow").symlink_to(tensorflow)
    else:
        (packages / "tensorflow").mkdir()
        (packages / "tensorflow" / "__init__.py").write_text("")
    metadata = packages / f"tensorflow_cpu-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: {version}\n"
    )
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def unlisted():
    """2.99, always in the same place, so that ccache knows the compiler's lines again."""
    folder = ROOT / "build" / "tensorflow-2.99"
    python = folder / "bin" / "python"
    if not python.exists():
        tensorflow = subprocess.check_output(
            [NEWEST, "-c", "import importlib.util as u; print(u.find_spec('tensorflow').origin)"],
            text=True,
        )
        scratch = folder.with_suffix(f".{os.getpid()}")
        make_python(scratch, "2.99.0", pathlib.Path(tensorflow.strip()).parent)
        try:
            scratch.rename(folder)
        except OSError:  # another worker was first
            assert python.exists()
    return python


USE = """
import sys
import tensorflow as tf

ops = tf.load_op_library(sys.argv[1])
x = tf.constant([2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = ops.opwright_element_mul(x, x)
print(*y.numpy(), *tape.gradient(y, x).numpy())
print(*tf.function(ops.opwright_element_mul, jit_compile=True)(x, x).numpy())
print([line.split()[-1] for line in open("/proc/self/maps") if "libopwright_bridge_tf" in line][0])
"""


def test_a_version_that_is_in_no_list(opwright, unlisted, core_path, tmp_path):
    said = opwright("bridge", "--python", unlisted, "--output", tmp_path)
    assert "Bridge for TensorFlow 2.99.0" in said.stdout
    assert f"To use it:  export OPWRIGHT_BRIDGE_DIR='{tmp_path}'" in said.stdout
    built = tmp_path / "libopwright_bridge_tf2.99.so"
    second = "libopwright_bridge_cc_tf2.99.so"
    assert sorted(path.name for path in tmp_path.iterdir()) == [second, built.name]

    # TensorFlow knows better which version it is: as the bridge of that one, ours works.
    version = subprocess.check_output(
        [NEWEST, "-c", "import importlib.metadata as m; print(m.version('tensorflow-cpu'))"],
        text=True,
    )
    renamed = built.rename(tmp_path / f"libopwright_bridge_tf{version.rsplit('.', 1)[0]}.so")
    child = subprocess.run(
        [NEWEST, "-P", "-c", USE, core_path],
        capture_output=True,
        text=True,
        env={**os.environ, "OPWRIGHT_BRIDGE_DIR": str(tmp_path)},
    )
    assert child.stdout.splitlines() == ["4.0 4.0", "4.0", str(renamed)], child.stderr


def test_a_compiler_that_is_slow_and_fails(opwright, unlisted, tmp_path):
    compiler = tmp_path / "compiler"
    compiler.write_text(
        '#!/bin/bash\n[ "$1" = --version ] && exit\nsleep 3; echo "no space left"; exit 1\n'
    )
    compiler.chmod(0o755)
    folder = tmp_path / "out"
    # Without ccache, which would call the compiler to see what it is.
    environment = {"CXX": str(compiler), "CCACHE_DISABLE": "1"}
    arguments = ["bridge", "--python", unlisted, "--output", folder]
    said = opwright(*arguments, code=1, env=environment).stderr
    assert "… building the bridge, 2 s: 0 of " in said
    assert "the bridge does not compile:\n" in said
    assert "no space left" in said
    assert "-DOPWRIGHT_TF_MINOR=99" in said
    assert not list(folder.iterdir())


def test_too_old(opwright, tmp_path):
    python = make_python(tmp_path / "old", "2.14.1")
    said = opwright("bridge", "--python", python, code=1).stderr
    assert f"the TensorFlow of {python} is 2.14.1, and opwright needs 2.15 or newer" in said
    assert "pip install --upgrade tensorflow" in said


def test_no_headers(opwright, tmp_path):
    python = make_python(tmp_path / "bare", "2.16.1")
    said = opwright("bridge", "--python", python, code=1).stderr
    assert "lacks " in said
    assert "op_kernel.h: install it as a wheel (pip install --force-reinstall tensorflow)" in said


def test_no_tensorflow(opwright, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    said = opwright("bridge", "--python", python, code=1).stderr
    assert f"{python} has no TensorFlow: install it there (pip install tensorflow)" in said


def test_no_place_to_write(opwright, unlisted, tmp_path):
    (tmp_path / "file").write_text("")
    said = opwright("bridge", "--python", unlisted, "--output", tmp_path / "file", code=1).stderr
    assert "cannot be written to: say --output DIR" in said


def test_no_compiler(opwright, unlisted, tmp_path):
    said = opwright("bridge", "--python", unlisted, code=1, env={"PATH": str(tmp_path)}).stderr
    assert "no C++ compiler is in the PATH" in said
