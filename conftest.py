"""What the tests of all folders share.

OPWRIGHT_TEST_BUILD says which build is tested; it is build/dev of this checkout if not set.
OPWRIGHT_SEED repeats a random test with the seed that it printed.
"""

import os
import pathlib
import subprocess
import sys

import pytest

# Before TensorFlow is imported, here or in a child.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("OPWRIGHT_TEST_BUILD") or ROOT / "build" / "dev").resolve()


def _existing(path):
    if not path.is_file():
        pytest.fail(
            f"{path} is missing: build first (cmake --preset dev; cmake --build --preset dev)"
        )
    return str(path)


@pytest.fixture(scope="session")
def core_path():
    """The library of the package, by the one spelling that the package itself uses.

    By another spelling TensorFlow returns a module without functions.
    """
    return _existing((ROOT / "opwright" / "lib" / "libopwright_core.so").resolve())


@pytest.fixture(scope="session")
def conformance_path():
    return _existing(BUILD / "conformance" / "libopwright_conformance.so")


@pytest.fixture(scope="session")
def core(core_path):
    """The package's library, opened as people do without the package."""
    import tensorflow as tf

    return tf.load_op_library(core_path)


@pytest.fixture(scope="session")
def conformance(conformance_path):
    """The conformance ops: Conformance>SplitSign is conformance.conformance_split_sign."""
    import tensorflow as tf

    return tf.load_op_library(conformance_path)


@pytest.fixture(scope="session")
def bare_compile():
    """bare_compile(folder, file, source): a library by the line that people type."""

    def compile_(folder, file, source):
        code, library = folder / (file + ".cc"), folder / file
        code.write_text(source)
        line = ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{ROOT}", str(code)]
        subprocess.run([*line, "-o", str(library)], check=True, timeout=120)
        return library

    return compile_


@pytest.fixture(scope="session")
def run_child(tmp_path_factory):
    """run_child(code, *arguments): runs Python code in a process of its own and returns its result.

    A child that fails fails the test with what it wrote, unless check=False. `env` adds variables;
    a value of None removes one.
    """
    folder = tmp_path_factory.mktemp("child")

    def run(code, *arguments, timeout=120, env=None, check=True):
        environment = {**os.environ, **(env or {})}
        result = subprocess.run(
            # -P: the package is found as users have it, not in the current folder.
            [sys.executable, "-P", "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=folder,
            env={name: value for name, value in environment.items() if value is not None},
        )
        if check and result.returncode:
            output = result.stdout + result.stderr[-4000:]
            pytest.fail(f"the child ended with {result.returncode}\n{output}")
        return result

    return run


@pytest.fixture
def rng():
    """A random generator of NumPy whose seed is printed, and so shown with a failure."""
    import numpy as np

    seed = int(os.environ.get("OPWRIGHT_SEED") or int.from_bytes(os.urandom(4), "little"))
    print(f"to replicate: OPWRIGHT_SEED={seed}")
    return np.random.default_rng(seed)
