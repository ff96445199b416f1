"""What is wrong with an op's struct is one error that says in a sentence what to write.

Each file of compile_errors/ begins with the line `// expect: ` and a part of that sentence, or
`success`.
"""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "tests" / "compile_errors").glob("*.cc"))
SUCCESS = "success"


def expectation(source):
    first = source.read_text().splitlines()[0]
    assert first.startswith("// expect: ")
    return first.removeprefix("// expect: ")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_compile_error(source):
    result = subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", f"-I{ROOT}", str(source)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"},
    )
    if expectation(source) == SUCCESS:
        assert result.returncode == 0, result.stderr
        return
    errors = [line for line in result.stderr.splitlines() if ": error: " in line]
    assert result.returncode != 0
    assert "opwright: " in errors[0]
    assert expectation(source) in errors[0]
    assert len(errors) == 1, result.stderr


def test_each_static_assert_has_an_example():
    headers = sorted((ROOT / "opwright" / "op").glob("*.h"))
    sentences = sum(
        header.read_text().count("static_assert(")
        for header in headers
        if header.name != "half.h"  # of its own sizes
    )
    examples = {expectation(source) for source in SOURCES} - {SUCCESS}
    assert len(examples) >= sentences, "a new static_assert needs a file in compile_errors/"
