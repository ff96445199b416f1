"""Includes point one way, and only the bridge and the classical scaffold include TensorFlow."""

import pathlib
import re

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "opwright"
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
FOREIGN = re.compile(r"^(tensorflow|xla|tsl|absl|Eigen|unsupported|google/protobuf|Python\.h)")

# What `opwright new --api tensorflow` writes is for those who have no opwright.
CLASSICAL = pathlib.PurePath("cli/templates/tensorflow")

# What a folder may include of opwright; "" is the package's own folder (op.h, complex.h).
MAY_INCLUDE = {
    "": {"", "op"},
    "op": {"op"},
    "ops": {"", "op", "ops", "testing"},
    "testing": {"", "op", "testing"},
    "bridge": {"op", "bridge"},
    "cli": {"op", "testing", "cli"},
}


def sources():
    return sorted(
        path
        for path in PACKAGE.rglob("*")
        if path.suffix in {".h", ".cc", ".cu"} and path.is_file()
    )


def folder_of(path):
    parts = path.parts
    return parts[0] if len(parts) > 1 else ""


@pytest.mark.parametrize("source", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_includes(source):
    relative = source.relative_to(PACKAGE)
    folder = folder_of(relative)
    classical = CLASSICAL in relative.parents
    test = source.name.endswith("test.cc") or source.name == "bench.cc"
    for name in INCLUDE.findall(source.read_text()):
        if FOREIGN.match(name):
            assert folder == "bridge" or classical, f"{name} is for the bridge alone"
        if not name.startswith("opwright/"):
            continue
        assert not classical, f"{name}: this needs TensorFlow, and nothing of opwright"
        allowed = MAY_INCLUDE[folder] | ({"", "testing"} if test else set())
        inner = folder_of(pathlib.PurePath(name).relative_to("opwright"))
        assert inner in allowed, f"{folder or 'opwright'}/ must not include {name}"


def test_the_sdk_needs_the_standard_library_only():
    system = {"dlfcn.h", "link.h", "stdint.h"}
    for source in (PACKAGE / "op").glob("*.h"):
        for name in INCLUDE.findall(source.read_text()):
            standard = re.fullmatch(r"[a-z_]+", name)
            assert standard or name in system or name.startswith("opwright/op/"), (
                source.name,
                name,
            )
