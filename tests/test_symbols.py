"""What an op library needs from the system, and what it shows to it."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

SYSTEM = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}
FOREIGN = ("tensorflow", "tsl", "xla", "absl", "protobuf", "Eigen", "TF_", "Py_", "PyGIL", "_Py")
# Functions and variables of the SDK, mangled; not the standard library's templates of its types,
# nor those of an op, which are in opwright::ops if the op is ours.
OF_THE_SDK = re.compile(r"_Z(T[VISC]|GV|Z)*NK?8opwright(?!3ops)|opwright")


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture(scope="session")
def bare_path(bare_compile, tmp_path_factory):
    """The smallest op of the package, compiled as anybody would."""
    source = (ROOT / "opwright" / "ops" / "element_mul" / "op.cc").read_text()
    return bare_compile(tmp_path_factory.mktemp("bare"), "libbare.so", source)


@pytest.fixture(params=["core", "conformance", "bare"])
def library(request):
    return request.getfixturevalue(request.param + "_path")


def test_only_system_libraries_are_needed(library):
    lines = [line for line in lines_of("readelf", "-d", library) if "(NEEDED)" in line]
    needed = {line.split("[")[1].rstrip("]") for line in lines}
    assert "libc.so.6" in needed
    assert {name for name in needed if not name.startswith("ld-linux")} <= SYSTEM


def test_no_foreign_symbol_is_undefined(library):
    undefined = lines_of("nm", "-DC", "--undefined-only", library)
    assert any("dlopen" in line for line in undefined)
    assert [line for line in undefined if any(word in line for word in FOREIGN)] == []


def test_one_symbol_of_the_sdk_is_exported(library):
    names = [line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", library)]
    assert [name for name in names if OF_THE_SDK.match(name)] == ["opwright_init"]


def test_no_symbol_is_unique(library):
    """The loader shares a unique symbol (u) even between libraries that are opened privately."""
    types = [line.split()[-2] for line in lines_of("nm", "-D", "--defined-only", library)]
    assert types and "u" not in types


def test_bridges_have_no_symbol_of_python():
    bridges = list((ROOT / "opwright" / "lib").glob("libopwright_bridge_*.so"))
    assert bridges
    for bridge in bridges:
        undefined = [line.split()[-1] for line in lines_of("nm", "-D", "--undefined-only", bridge)]
        assert any("tensorflow" in name for name in undefined)
        assert [name for name in undefined if name.startswith(("Py", "_Py"))] == []
