"""No input and no attribute ends the process: each bad one is an exception that says why."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("bad_inputs.py")
ROOT = pathlib.Path(__file__).resolve().parents[1]


def compile_with_clang(folder):
    """The conformance ops as the other compiler builds them, with its warnings as errors."""
    sources = sorted((ROOT / "opwright/testing/conformance").glob("*.cc"))
    flags = ["-std=c++17", "-O2", "-fPIC", "-I.", "-Wall", "-Wextra", "-Werror"]

    def compile_(source):
        object_ = folder / (source.stem + ".o")
        command = ["ccache", "clang++", *flags, "-c", str(source.relative_to(ROOT))]
        subprocess.run([*command, "-o", object_], check=True, cwd=ROOT, timeout=120)
        return object_

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_, sources))
    library = folder / "libopwright_conformance.so"
    subprocess.run(["clang++", "-shared", *objects, "-o", library], check=True, timeout=120)
    return library


@pytest.fixture(params=["g++", "clang++"])
def ops_path(request, tmp_path):
    if request.param == "clang++":
        return compile_with_clang(tmp_path)
    return request.getfixturevalue("conformance_path")


def results_of(conformance_path, core_path):
    """What came of each case, from children that each go on after the case that ended the last."""
    first = 0
    while first is not None:
        child = subprocess.run(
            [sys.executable, "-P", PROGRAM, conformance_path, core_path, str(first)],
            capture_output=True,
            text=True,
            timeout=300,
            # Without oneDNN's allocator, which waits ten seconds for memory that is not to be had.
            env={**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0"},
        )
        lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
        finished = [line for line in lines if "words" in line]
        yield from finished
        begun = [line for line in lines if "words" not in line]
        if len(begun) == len(finished):
            assert child.returncode == 0, child.stderr[-4000:]
            first = None
        else:
            yield {**begun[-1], "died": child.returncode}
            first = begun[-1]["number"] + 1


def fault_of(result):
    if "died" in result:
        return f"ended the process with {result['died']}"
    if "error" not in result:
        return "raised nothing"
    missing = [word for word in result["words"] if word not in result["error"]]
    return f"does not say {missing}: {result['error'][-600:]}" if missing else None


def test_bad_inputs(ops_path, core_path):
    results = list(results_of(ops_path, core_path))
    assert [result["number"] for result in results] == list(range(len(results)))
    assert len(results) >= 300
    faults = [f"{r['name']}: {fault_of(r)}" for r in results if fault_of(r)]
    assert not faults, f"{len(faults)} of {len(results)} cases:\n" + "\n".join(faults)
