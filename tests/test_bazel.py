"""The Bazel files of both new projects: they build without a network, and what they build works."""

import pathlib
import shutil
import subprocess
import sys

import pytest

# What Bazel itself would download: from Debian's packages, and a stub.
REPOSITORIES = {
    "platforms": "/usr/share/bazel/tools/platforms",
    "rules_cc": pathlib.Path(__file__).resolve().parent / "bazel" / "rules_cc",
    "rules_java": "/usr/share/bazel/rules/java",
    "rules_proto": "/usr/share/bazel/rules/proto",
}

USE = {
    "opwright": """
import sys
import tensorflow as tf

op = tf.load_op_library(sys.argv[1] + "/bazel-bin/libwave_gate.so").wave_gate
print(op([1.5, -2.0], [4.0, 0.5]).numpy())
""",
    "tensorflow": """
import sys

sys.path.insert(0, sys.argv[1])
from wave_gate import wave_gate

print(wave_gate([1.5, -2.0], [4.0, 0.5]).numpy())
""",
}


@pytest.fixture(scope="module")
def bazel(program_environment, tmp_path_factory):
    """bazel(folder, env={}): builds libwave_gate.so. No server is left behind."""
    missing = [path for path in REPOSITORIES.values() if not pathlib.Path(path).is_dir()]
    if missing or not shutil.which("bazel"):
        pytest.fail(f"{missing or 'bazel'} is missing: run scripts/setup.sh test")
    root = tmp_path_factory.mktemp("bazel")
    startup = ["--batch", "--nohome_rc", f"--output_user_root={root}"]
    options = ["--jobs=2", "--spawn_strategy=local", "--noshow_progress"]
    options += [f"--override_repository={name}={path}" for name, path in REPOSITORIES.items()]

    def build(folder, env=None):
        return subprocess.run(
            ["bazel", *startup, "build", *options, ":libwave_gate.so"],
            cwd=folder,
            env={**program_environment, "PYTHON": sys.executable, **(env or {})},
            capture_output=True,
            text=True,
        )

    return build


@pytest.mark.parametrize("api", ["opwright", "tensorflow"])
def test_bazel_builds_what_works(opwright, bazel, run_child, tmp_path, api):
    opwright("new", "wave_gate", "--api", api, cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    result = bazel(folder)
    assert result.returncode == 0, result.stdout + result.stderr[-8000:]
    assert run_child(USE[api], folder).stdout == "[ 6. -1.]\n"


@pytest.mark.parametrize(
    "api, variable, said",
    [
        ("opwright", "OPWRIGHT", "The program no-such is not in the PATH"),
        ("tensorflow", "PYTHON", "No TensorFlow was found by no-such"),
    ],
)
def test_what_is_missing_is_said(opwright, bazel, tmp_path, api, variable, said):
    opwright("new", "wave_gate", "--api", api, cwd=tmp_path)
    result = bazel(tmp_path / "wave_gate", {variable: "no-such"})
    assert result.returncode != 0
    assert said in result.stderr
    assert f"{variable}=/path/to/" in result.stderr
