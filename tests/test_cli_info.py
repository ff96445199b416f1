"""`opwright info`: what it reads from a library without loading it; and files that are none."""

import json
import pathlib
import shutil
import subprocess

import pytest

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "opwright" / "bin" / "opwright"


@pytest.fixture
def ops(opwright, conformance_path):
    read = json.loads(opwright("info", "--json", conformance_path).stdout)
    assert read["file"] == conformance_path
    return {op["name"]: op for op in read["ops"]}


def test_the_core_library(opwright, core_path):
    read = json.loads(opwright("info", "--json", core_path).stdout)
    (op,) = [op for op in read["ops"] if op["name"] == "Opwright>ElementMul"]
    dtypes = {"half", "bfloat16", "float", "double", "int32", "int64"}
    assert op["function"] == "opwright_element_mul"
    assert op["abi"] == "1.0"
    assert op["compiler"].startswith(("g++ ", "clang "))
    (attribute,) = op["attributes"]
    assert (attribute["name"], attribute["kind"]) == ("T", "type")
    assert attribute["selects_kernel"]
    assert set(attribute["allowed"]) == dtypes
    assert [x["name"] for x in op["inputs"]] == ["a", "b"]
    assert all(set(x["dtypes"]) == dtypes for x in op["inputs"] + op["outputs"])
    assert (op["stateful"], op["gradient"], op["devices"]) == (False, True, ["CPU"])
    assert "no_gradient" not in op

    said = opwright("info", core_path).stdout
    assert "op Opwright>ElementMul, in Python opwright_element_mul\n" in said
    assert "built with opwright 0." in said


def test_attributes(ops):
    attributes = {a["name"]: a for a in ops["Conformance>EchoOne"]["attributes"]}
    assert attributes["integer"] == {
        "name": "integer",
        "kind": "int",
        "selects_kernel": False,
        "default": -7,
    }
    assert attributes["real"]["default"] == 0.5
    assert attributes["dtype"]["default"] == "bfloat16"
    assert attributes["mode"]["allowed"] == ["open", "closed"]
    assert attributes["shape"]["default"] is None  # of unknown rank
    lists = {a["name"]: a for a in ops["Conformance>EchoLists"]["attributes"]}
    assert lists["integers"]["kind"] == "list(int)"
    assert lists["integers"]["default"] == [3, -4]
    assert lists["texts"]["default"] == ["a", "bc"]
    lengths = {a["name"]: a for a in ops["Conformance>WeightedSum"]["attributes"]}
    assert lengths["N"]["minimum"] == 1


def test_kinds_of_inputs(ops):
    def kinds(op):
        inputs = ops["Conformance>" + op]["inputs"]
        return [(x["name"], x["kind"], x["type"], x["list"]) for x in inputs]

    assert kinds("Fill") == [
        ("shape", "shape_value", "Tshape", False),
        ("value", "input", "T", False),
    ]
    assert kinds("SumRuns")[1] == ("times", "host_input", "int64", False)
    assert kinds("Affine")[1] == ("bias", "optional_input", "n_bias * T", True)
    assert kinds("Mixed") == [("xs", "input", "Ts", True)]
    assert ops["Conformance>SumRuns"]["inputs"][1]["dtypes"] == ["int64"]


def test_gradient_state_and_memory(opwright, ops, conformance_path):
    assert ops["Conformance>Opaque"]["gradient"] is False
    assert ops["Conformance>Opaque"]["no_gradient"] == "floor is flat almost everywhere"
    assert {name for name, op in ops.items() if op["stateful"]}
    assert {name for name, op in ops.items() if op["forwards"]}
    said = opwright("info", conformance_path).stdout
    assert "gradient  none: floor is flat almost everywhere" in said
    assert "equal inputs may give different results" in said
    assert " may give its memory to " in said


def test_other_files(opwright, tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no library at all\n" * 100)
    assert "is no library: it is not in the ELF format" in opwright("info", text, code=1).stderr
    empty = tmp_path / "empty.so"
    empty.write_bytes(b"")
    assert "is no library" in opwright("info", empty, code=1).stderr
    assert "No such file" in opwright("info", tmp_path / "nowhere.so", code=1).stderr
    assert "is a folder: give the library in it" in opwright("info", tmp_path, code=1).stderr
    program = shutil.which("ls")
    said = opwright("info", program, code=1).stderr
    assert "is no op library of opwright: it has no section .opwright" in said


def test_damaged_files(opwright, core_path, tmp_path):
    """However it is cut or garbled: a sentence, or what can still be read; never a crash."""
    whole = open(core_path, "rb").read()
    damaged = tmp_path / "damaged.so"
    begin = whole.index(b"opwright 0.")
    for size in [3, 16, 63, 64, 4096, begin + 10, len(whole) // 2, len(whole) - 1]:
        damaged.write_bytes(whole[:size])
        said = opwright("info", damaged, code=1).stderr
        assert "damaged.so is " in said
    declaration_end = whole.index(b"\0", begin)
    for garbled, sentence in [
        (b"x" * (declaration_end - begin), "the keyword"),
        (b"opwright 0.1.0\ninput a: Q\n".ljust(declaration_end - begin, b"\n"), "has the line"),
    ]:
        damaged.write_bytes(whole[:begin] + garbled + whole[declaration_end:])
        said = opwright("info", damaged, code=1).stderr
        assert "damaged.so cannot be understood" in said
        assert sentence in said
    headers = int.from_bytes(whole[40:48], "little")  # where those of the sections begin
    for place in range(headers, len(whole), 96):
        damaged.write_bytes(whole[:place] + b"\xff" * 8 + whole[place + 8 :])
        result = subprocess.run([PROGRAM, "info", damaged], capture_output=True, text=True)
        assert result.returncode in (0, 1), (place, result)
        assert (result.returncode == 0) == (result.stderr == "")
