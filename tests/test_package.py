"""What the package says and does beside opening libraries: see also test_loading.py."""

import pytest

IN_GRAPH = """
import opwright
import tensorflow as tf

print(tf.function(opwright.element_mul)([2.0], [3.0]).numpy())
"""


def test_the_package_in_a_graph_warns_of_nothing(run_child):
    child = run_child(IN_GRAPH, env={"AUTOGRAPH_VERBOSITY": "0"})
    assert child.stdout.strip() == "[6.]"
    assert "AutoGraph" not in child.stderr


def test_an_op_that_the_library_has_not(core_path):
    import opwright

    module = opwright.load(core_path)
    with pytest.raises(
        AttributeError, match=r"has no op 'element_mull'; it has opwright_element_mul"
    ):
        module.element_mull  # noqa: B018
    with pytest.raises(AttributeError, match="of what opwright.load returns"):
        opwright.element_mull  # noqa: B018
    with pytest.raises(FileNotFoundError, match="the path is empty"):
        opwright.load("")
    assert module.opwright_element_mul.__doc__.startswith("The op Opwright>ElementMul.")


def test_help_begins_with_the_library(core):
    begin = "The op Opwright>ElementMul of libopwright_core.so."
    assert core.opwright_element_mul.__doc__.startswith(begin)


def test_bridges_in_another_folder(run_child, tmp_path):
    (tmp_path / "libopwright_bridge_tf2.99.so").write_text("")
    code = "import opwright; print(*opwright.versions()['bridges'])"
    env = {"OPWRIGHT_BRIDGE_DIR": tmp_path}
    assert run_child(code, env=env).stdout.split()[-1] == "2.99"
