"""What README.md shows is what the repository has."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_op_is_the_first_example():
    assert blocks("cpp") == [(ROOT / "examples" / "first_op" / "element_mul.cc").read_text()]


def test_its_links_lead_somewhere():
    prose = re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in link]
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_its_python_runs(tmp_path, bare_compile, run_child):
    library = bare_compile(tmp_path, "libelement_mul.so", blocks("cpp")[0])
    code = blocks("python")[0].replace("./libelement_mul.so", str(library))
    code += "print(element_mul([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).numpy())\n"
    assert run_child(code).stdout.strip() == "[ 4. 10. 18.]"
