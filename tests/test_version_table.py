"""The table of `make matrix`: all "yes" where all works, and "no: why" where something does not."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests" / "version_table.py"
WAYS = "load, eager, graph, gradient, second order, SavedModel, jit, C++ client".split(", ")


def run(*arguments, code=0):
    child = subprocess.run(
        [sys.executable, "-P", PROGRAM, *map(str, arguments)], capture_output=True, text=True
    )
    assert child.returncode == code, child.stdout + child.stderr
    return child.stdout


@pytest.fixture
def compile_instead(bare_compile, tmp_path):
    """compile_instead(expression): element_mul's library, made to compute something else."""
    source = (ROOT / "opwright" / "ops" / "element_mul" / "op.cc").read_text()

    def compile_(expression):
        changed = source.replace("Multiply(a[i], b[i])", expression)
        assert changed != source
        return bare_compile(tmp_path, "libelement_mul.so", changed)

    return compile_


@pytest.mark.timeout(600)  # ten processes with TensorFlow, and a C++ program that is compiled
def test_every_way_works_in_this_tensorflow(core_path, conformance_path):
    import tensorflow as tf

    row = json.loads(run("--core", core_path, "--conformance", conformance_path))
    assert row == {
        "TensorFlow": tf.__version__,
        **dict.fromkeys(WAYS, "yes"),
        "tests": "not run",
        "skipped": [],
    }


CHECK = """
import sys
sys.path.insert(0, sys.argv[1])
import version_table

for way in version_table.CHECKS:
    print(way, version_table.check(way, *sys.argv[2:]), sep=": ")
"""


def test_every_way_tells_a_wrong_product(compile_instead, conformance_path, run_child):
    wrong = compile_instead("a[i] + b[i]")
    # In one process, for the sake of time: TensorFlow takes most of it to start.
    lines = run_child(CHECK, PROGRAM.parent, wrong, conformance_path).stdout.splitlines()
    found = dict(line.split(": ", 1) for line in lines)
    assert list(found) == WAYS
    assert found.pop("load") == "None"
    assert found["eager"] == "AssertionError: element_mul of float16 is [4.0, -6.0], not [4, 9]"
    for way, why in found.items():
        assert why.startswith("AssertionError: "), way
        assert ", not [" in why, way


def test_an_op_that_ends_the_process(compile_instead, conformance_path):
    deadly = compile_instead("(__builtin_trap(), a[i])")
    row = json.loads(run("--core", deadly, "--conformance", conformance_path, "--only", "eager"))
    assert row["eager"].startswith("no: ended by SIGILL: ")


def test_what_is_no_library(conformance_path, tmp_path):
    broken = tmp_path / "libbroken.so"
    broken.write_text("no library")
    row = json.loads(run("--core", broken, "--conformance", conformance_path, "--only", "load"))
    assert row["load"].startswith("no: NotFoundError: ")
    assert "file too short" in row["load"]


def show(folder, rows, code):
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps({"skipped": [], **row}) + "\n" for row in rows))
    return run("--show", file, code=code).splitlines()


def test_the_table(tmp_path):
    good = {"TensorFlow": "2.15.1", **dict.fromkeys(WAYS, "yes"), "tests": "80 passed, 1 skipped"}
    skipping = {**good, "skipped": ["tests/test_xla.py:1: no cache"]}
    header, rule, row, why = show(tmp_path, [skipping], 0)
    assert [cell.strip() for cell in header.split("|")][1:-1] == ["TensorFlow", *WAYS, "tests"]
    assert [cell.strip() for cell in row.split("|")][1:-1] == list(good.values())
    assert len(header) == len(rule) == len(row)
    assert why == "2.15.1, skipped: tests/test_xla.py:1: no cache"

    bad = {**good, "TensorFlow": "2.99 GPU wheel", "jit": "no: it is not there"}
    table = show(tmp_path, [good, bad], 1)
    assert table[2].split("|")[1].strip() == "2.15.1"
    assert table[4:] == ["2.99 GPU wheel, jit: no: it is not there"]
    assert show(tmp_path, [], 1)


NOTHING = "no result: pytest did not come to its end"


@pytest.mark.parametrize(
    "closing, tests, well",
    [
        ("===== 80 passed in 12.34s =====", "80 passed", True),
        ("== 80 passed, 2 skipped in 290.97s (0:04:50) ==", "80 passed, 2 skipped", True),
        ("== 80 passed, 1 deselected, 3 warnings in 2.00s ==", "80 passed, 1 deselected", True),
        ("= 1 failed, 79 passed, 1 warning in 2.00s =", "1 failed, 79 passed", False),
        ("= 79 passed, 1 error in 2.00s =", "79 passed, 1 error", False),
        ("= no tests ran in 0.01s =", NOTHING, False),
        ("Fatal Python error: Segmentation fault", NOTHING, False),
    ],
)
def test_what_pytest_said(tmp_path, closing, tests, well):
    spec = importlib.util.spec_from_file_location("version_table", PROGRAM)
    version_table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(version_table)
    log = tmp_path / "log"
    log.write_text(f"collected 80 items\n\nSKIPPED [2] tests/test_xla.py:1: no cache\n{closing}\n")
    skipped = [] if tests == NOTHING else ["tests/test_xla.py:1: no cache"]
    assert version_table.tests_of(log) == (tests, skipped)
    row = {"TensorFlow": "2.15.1", **dict.fromkeys(WAYS, "yes"), "tests": tests}
    table = show(tmp_path, [row], 0 if well else 1)
    assert table[3:] == ([] if well else [f"2.15.1, tests: {tests}"])
