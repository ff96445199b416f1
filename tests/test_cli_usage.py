"""The command line: help that teaches, exit codes, colours, flags."""

import os
import pty
import re
import subprocess

import pytest

VERBS = ["new", "build", "bridge", "info", "flags"]


def test_help_teaches(opwright):
    said = opwright("--help").stdout
    for verb in VERBS:
        assert re.search(rf"^  {verb} ", said, re.MULTILINE)
    assert "opwright new wave_gate" in said


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb_has_an_example(opwright, verb):
    assert f"opwright {verb}" in opwright(verb, "--help").stdout.split("Options:")[1]


def test_version(opwright):
    assert re.fullmatch(r"opwright \d+\.\d+\.\d+\n", opwright("--version").stdout)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "A subcommand is required. See `opwright --help`."),
        (["frobnicate"], "See `opwright --help`."),
        (["new"], "NAME is required. See `opwright new --help`."),
        (["info"], "LIB is required. See `opwright info --help`."),
        (["new", "a_b", "--colour"], "See `opwright new --help`."),
        (["build", "--sanitize", "memory"], "See `opwright build --help`."),
        (["build", "--release", "--debug"], "See `opwright build --help`."),
        (["build", "nowhere"], "nowhere is no folder: give that of the project, or make one"),
        (["bridge", "--python", "nowhere"], "there is no Python nowhere: give --python the path"),
    ],
)
def test_usage_errors_end_with_2(opwright, tmp_path, arguments, sentence):
    result = opwright(*arguments, code=2, cwd=tmp_path)
    assert result.stdout == ""
    assert result.stderr.startswith("opwright: ")
    assert sentence in result.stderr


def on_a_terminal(command, environment):
    """What a program writes, both outputs, when they are a terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    output = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        output += block
    os.close(ours)
    child.wait(timeout=60)
    return output.decode()


def test_colours_only_on_a_terminal(opwright, program_environment):
    command = ["opwright", "info", "nowhere"]
    terminal = {**program_environment, "TERM": "xterm"}
    terminal.pop("NO_COLOR", None)
    assert "\033[" in on_a_terminal(command, terminal)
    assert "\033[" not in on_a_terminal(command, {**terminal, "NO_COLOR": "1"})
    assert "\033[" not in on_a_terminal(command, {**terminal, "TERM": "dumb"})
    assert "\033[" not in opwright("info", "nowhere", code=1, env={"TERM": "xterm"}).stderr


def test_flags(opwright):
    compile_flags = opwright("flags", "--cflags").stdout.split()
    link_flags = opwright("flags", "--libs").stdout.split()
    assert opwright("flags").stdout.split() == compile_flags + link_flags
    assert {"-std=c++17", "-fPIC", "-fvisibility=hidden"} <= set(compile_flags)
    assert {"-shared", "-Wl,--no-undefined"} <= set(link_flags)
    (include,) = (flag[2:] for flag in compile_flags if flag.startswith("-I"))
    assert os.path.isfile(os.path.join(include, "opwright", "op.h"))
    cmake = opwright("flags", "--cmake").stdout.strip()
    assert os.path.isfile(os.path.join(cmake, "opwrightConfig.cmake"))
    testing = opwright("flags", "--testing").stdout.split()
    assert any(source.endswith("/host.cc") for source in testing)
    assert not any(source.endswith("_test.cc") for source in testing)


def test_a_package_in_a_folder_with_a_blank(opwright, tmp_path, program_environment):
    package = tmp_path / "two words" / "opwright"
    (package / "bin").mkdir(parents=True)
    (package / "op.h").write_text("")
    (tmp_path / "two words" / "cmake").mkdir()
    (tmp_path / "two words" / "cmake" / "opwrightConfig.cmake").write_text("")
    program = package / "bin" / "opwright"
    original = subprocess.check_output(["which", "opwright"], text=True, env=program_environment)
    program.write_bytes(open(original.strip(), "rb").read())
    program.chmod(0o755)
    result = subprocess.run([program, "flags"], capture_output=True, text=True)
    assert result.returncode == 1
    assert "a shell would cut that path at the blank" in result.stderr


def test_a_program_outside_of_its_package(tmp_path, program_environment):
    original = subprocess.check_output(["which", "opwright"], text=True, env=program_environment)
    program = tmp_path / "opwright"
    program.write_bytes(open(original.strip(), "rb").read())
    program.chmod(0o755)
    result = subprocess.run([program, "flags"], capture_output=True, text=True)
    assert result.returncode == 1
    assert "lies outside of the opwright package; call <package>" in result.stderr


def test_a_verb_that_is_none(opwright):
    said = opwright("biuld", code=2).stderr
    assert said == (
        "opwright: there is no verb 'biuld'; the verbs are new, build, bridge, info and flags. See "
        "`opwright --help`.\n"
    )
