"""`opwright new`: which names it takes, and what it writes. test_new_project.py builds it."""

import re
import sys

import pytest


@pytest.mark.parametrize(
    "name, folder, op, function",
    [
        ("wave_gate", "wave_gate", "WaveGate", "wave_gate"),
        ("WaveGate", "wave_gate", "WaveGate", "wave_gate"),
        ("waveGate", "wave_gate", "WaveGate", "wave_gate"),
        ("gate", "gate", "Gate", "gate"),
        ("RGBToXYZ", "rgb_to_xyz", "RGBToXYZ", "rgb_to_xyz"),
        ("conv2d", "conv2d", "Conv2d", "conv2d"),
        ("x2_y3", "x2_y3", "X2Y3", "x2y3"),
    ],
)
def test_names(opwright, tmp_path, name, folder, op, function):
    said = opwright("new", name, cwd=tmp_path).stdout
    assert f"Made {folder}, with the op {op}:" in said
    assert f"Next: opwright build {folder}" in said
    assert f"OPWRIGHT_OP({op});" in (tmp_path / folder / "op.cc").read_text()
    test = (tmp_path / folder / "test.py").read_text()
    assert f"tf.load_op_library(library_path).{function}\n" in test
    assert f"build/lib{folder}.so" in test


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("9lives", "'9lives' is no name for an op: take letters, digits and '_'"),
        ("wave-gate", "'wave-gate' is no name for an op"),
        ("wave gate", "'wave gate' is no name for an op"),
        ("vågen", "'vågen' is no name for an op"),
        ("../up", "'../up' is no name for an op"),
        ("", "'' is no name for an op"),
        ("Wave_Gate", "'Wave_Gate' is neither snake_case nor CamelCase"),
        ("_gate", "'_gate' is neither snake_case nor CamelCase"),
        ("gate_", "'gate_' is neither snake_case nor CamelCase"),
        ("wave__gate", "'wave__gate' is neither snake_case nor CamelCase"),
        ("class", "'class' is a keyword of C++: choose another name, as in my_class."),
        ("Class", "'Class' is a keyword of C++: choose another name"),
        ("constexpr", "'constexpr' is a keyword of C++"),
        ("lambda", "'lambda' is a keyword of Python: choose another name, as in my_lambda."),
        ("None", "'None' is a keyword of Python: choose another name, as in my_none."),
        ("test", "'test' has a meaning of its own in builds: choose another name"),
        ("multiply", "'Multiply' is used in the project's body.h for something else"),
        ("compute", "'Compute' is used in the project's op.h for something else"),
    ],
)
def test_refused_names(opwright, tmp_path, name, sentence):
    said = opwright("new", name, code=2, cwd=tmp_path).stderr
    assert said.startswith("opwright: ")
    assert sentence in said
    assert not list(tmp_path.iterdir())


def test_a_name_that_the_python_test_uses(opwright, tmp_path):
    opwright("new", "scale", cwd=tmp_path)
    text = (tmp_path / "scale" / "test.py").read_text()
    assert "def test_values(scale_op, rng, dtype, shape):" in text
    assert "    scale = 1 if dtype" in text


def test_namespace(opwright, tmp_path):
    opwright("new", "wave_gate", "--namespace", "MyProject", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    assert '.Name("MyProject>WaveGate")' in (folder / "op.h").read_text()
    assert 'g.Call("MyProject>WaveGate", ' in (folder / "op.h").read_text()
    assert "(library_path).my_project_wave_gate" in (folder / "test.py").read_text()
    assert "my_project_wave_gate(a, b, name=None)" in (folder / "README.md").read_text()
    said = opwright("new", "other", "--namespace", "my-project", code=2, cwd=tmp_path).stderr
    assert "'my-project' is no namespace for ops" in said


def test_an_existing_folder_stays(opwright, tmp_path):
    (tmp_path / "wave_gate").mkdir()
    said = opwright("new", "wave_gate", code=1, cwd=tmp_path).stderr
    assert said == (
        "opwright: wave_gate exists already: choose another name, say --dir for another place, or "
        "move it away.\n"
    )
    assert not list((tmp_path / "wave_gate").iterdir())
    opwright("new", "wave_gate", "--dir", tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "wave_gate" / "op.h").is_file()


def test_a_folder_that_cannot_be_made(opwright, tmp_path):
    (tmp_path / "file").write_text("")
    said = opwright("new", "wave_gate", "--dir", tmp_path / "file", code=1).stderr
    assert "cannot be made" in said


FILES = {
    "opwright": [
        ".gitignore",
        "BUILD.bazel",
        "CMakeLists.txt",
        "MODULE.bazel",
        "Makefile",
        "README.md",
        "WORKSPACE",
        "bench.cc",
        "body.h",
        "op.cc",
        "op.h",
        "opwright.bzl",
        "reference.cc",
        "reference.h",
        "test.cc",
        "test.py",
    ],
    "tensorflow": [
        ".gitignore",
        "BUILD.bazel",
        "CMakeLists.txt",
        "MODULE.bazel",
        "Makefile",
        "README.md",
        "WORKSPACE",
        "find_tensorflow.py",
        "gradient.cc",
        "op.cc",
        "tensorflow.bzl",
        "test.py",
        "wave_gate.py",
    ],
}


@pytest.mark.parametrize("api", FILES)
def test_nothing_of_the_origin_is_left(opwright, tmp_path, api):
    opwright("new", "wave_gate", "--api", api, cwd=tmp_path)
    files = sorted(path.name for path in (tmp_path / "wave_gate").iterdir())
    assert files == FILES[api]
    for path in (tmp_path / "wave_gate").iterdir():
        text = path.read_text()
        origin = re.search("element_?mul|opwright::ops|opwright/ops|Opwright>", text, re.I)
        assert not origin, path.name
        assert not re.search("\n\n\n\n|\n\n$", text), path.name
        if api == "tensorflow" and path.name != "README.md":  # which says what the other way has
            assert "opwright" not in text.lower(), path.name


@pytest.mark.parametrize("api", FILES)
def test_a_name_that_has_the_origins_in_it(opwright, tmp_path, api):
    opwright("new", "my_element_mul", "--api", api, cwd=tmp_path)
    for path in (tmp_path / "my_element_mul").iterdir():
        names = set(re.findall(r"\w*element_?mul\w*", path.read_text(), re.I))
        assert all(re.match(r"(lib)?my_?element", name, re.I) for name in names), path.name
        assert not re.search("my_?my", path.read_text(), re.I), path.name


def test_modules_that_a_project_would_hide(opwright, tmp_path):
    modules = [name for name in sys.stdlib_module_names if re.fullmatch("[a-z][a-z0-9]*", name)]
    for name in [*modules, "numpy", "tf", "find_tensorflow"]:
        said = opwright("new", name, "--api", "tensorflow", code=2, cwd=tmp_path).stderr
        assert "choose another name, as in my_" in said
    assert len(modules) > 100
    assert not list(tmp_path.iterdir())


def test_another_api(opwright, tmp_path):
    said = opwright("new", "wave_gate", "--api", "jax", code=2, cwd=tmp_path).stderr
    assert said == "opwright: there is no API 'jax': say --api opwright or --api tensorflow.\n"


def test_quiet(opwright, tmp_path):
    result = opwright("new", "wave_gate", "--quiet", cwd=tmp_path)
    assert (result.stdout, result.stderr) == ("", "")
    assert (tmp_path / "wave_gate" / "op.cc").is_file()


@pytest.mark.parametrize("api", ["opwright", "tensorflow"])
def test_an_op_that_tensorflow_has(opwright, tmp_path, api):
    for name, op in [("tanh", "Tanh"), ("mul", "Mul"), ("BroadcastTo", "BroadcastTo")]:
        said = opwright("new", name, "--api", api, code=2, cwd=tmp_path).stderr
        assert f" has an op {op} of its own: choose another name, as in my_" in said
        assert "or add --namespace MyProject" in said
    assert not list(tmp_path.iterdir())
    opwright("new", "tanh", "--api", api, "--namespace", "MyProject", cwd=tmp_path)
