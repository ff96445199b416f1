"""The C++ program in examples/, built as its README says."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

CLIENT = pathlib.Path(__file__).resolve().parent.parent / "examples" / "cpp_client"


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """build(*arguments): runs make, with a folder of this module's for what it builds."""
    folder = tmp_path_factory.mktemp("client")
    # Under `make test`, make would take this one for a part of itself.
    outside = {k: v for k, v in os.environ.items() if k[:4] != "MAKE" and k != "MFLAGS"}

    def run(*arguments):
        return subprocess.run(
            ["make", "-s", "-C", str(CLIENT), f"BUILD={folder}", *arguments],
            capture_output=True,
            text=True,
            timeout=200,
            env=outside,
        )

    return run


def test_values_are_those_of_python(build, core):
    import tensorflow as tf

    result = build(f"PYTHON={sys.executable}", "run")
    assert result.returncode == 0, result.stderr[-4000:]
    printed = {
        name: [float(x) for x in values]
        for name, *values in map(str.split, result.stdout.splitlines())
    }
    a = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = core.opwright_element_mul(a, core.opwright_element_mul(a, a))
        first = inner.gradient(y, a)
    second = outer.gradient(first, a)
    assert set(printed) == {"y", "dy/da", "d2y/da2"}
    np.testing.assert_array_equal(printed["y"], y)
    np.testing.assert_array_equal(printed["dy/da"], first)
    np.testing.assert_array_equal(printed["d2y/da2"], second)


@pytest.mark.parametrize(
    ("library", "sentence"),
    [
        ("/no/such/library.so", "Loading the op library failed: /no/such/library.so: cannot open"),
        ("libm.so.6", "Building the graph failed: Op type not registered 'Opwright>ElementMul'"),
    ],
)
def test_a_failure_is_a_sentence(build, library, sentence):
    result = build(f"PYTHON={sys.executable}", f"LIBRARY={library}", "run")
    assert result.returncode == 2  # of make
    assert sentence in result.stderr
    assert re.search(r"^make: .*Error 1$", result.stderr, re.MULTILINE)  # and no signal


def test_python_without_tensorflow(build, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    result = build(f"PYTHON={python}", "run")
    assert result.returncode == 2
    assert "has no TensorFlow: name a Python that has, by PYTHON=" in result.stderr


def test_it_is_short():
    assert len((CLIENT / "main.cc").read_text().splitlines()) < 60
