"""What README.md shows is what the repository has, and README.zh-CN.md says the same in Chinese.

The two are compared block by block: a heading, a paragraph, an item of a list, a row of a table, a
block of code. Prose is translated, and so are comments in code, but not in C++; the code, the code
spans, the numbers, the links, and the yes and no of tables are the same.
"""

import collections
import itertools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ["README.md", "README.zh-CN.md"]
README, CHINESE = ((ROOT / file).read_text() for file in FILES)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_op_is_the_first_example():
    assert blocks("cpp") == [(ROOT / "examples" / "first_op" / "element_mul.cc").read_text()]


@pytest.mark.parametrize("file", FILES)
def test_its_links_lead_somewhere(file):
    text = (ROOT / file).read_text()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in link]
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_its_python_runs(tmp_path, bare_compile, run_child):
    library = bare_compile(tmp_path, "libelement_mul.so", blocks("cpp")[0])
    code = blocks("python")[0].replace("./libelement_mul.so", str(library))
    code += "print(element_mul([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).numpy())\n"
    assert run_child(code).stdout.strip() == "[ 4. 10. 18.]"


# ---- two languages -------------------------------------------------------------------------------


KINDS = {"#": "heading", "-": "item", "|": "row"}
ANSWERS = {"yes": "yes", "可以": "yes", "no": "no", "否": "no"}


def parts(text):
    """(kind, text) of each block; what is wrapped is one line."""
    for stretch in re.split(r"^(```.*?^```)$", text, flags=re.MULTILINE | re.DOTALL):
        if stretch.startswith("```"):
            yield "code", stretch
            continue
        # A heading, an item and a row begin a block, whatever is before.
        for part in re.split(r"\n\n+|\n(?=#|- |\|)", stretch):
            part = " ".join(part.split())
            if part:
                yield KINDS.get(part[0], "paragraph"), part


def untranslated(text):
    """What is the same in both languages: how often each code span, number, link and bold is."""
    found = collections.Counter(re.findall(r"\*\*", text))
    for name, target in re.findall(r"\[([^\]]*)\]\(([^)]+)\)", text):
        # The name of a file is not translated either; and each README has a link to the other.
        target = "the other README" if target in FILES else target
        found[target, name if name in target else None] += 1
    text = re.sub(r"\]\([^)]+\)", "]", text)
    found.update(re.findall(r"`[^`]+`", text))
    found.update(re.findall(r"\d+(?:\.\d+)*", re.sub(r"`[^`]+`", "", text)))
    return found


def code_line(line):
    """The code, and what is untranslated of its comment; None without one."""
    code, mark, comment = re.fullmatch(r"(.*?)(?:(^|\s)#\s(.*))?", line).groups()
    return code.rstrip(), None if mark is None else untranslated(comment)


def cell(text):
    answer = re.match(r"\s*(\w+)", text)
    return ANSWERS.get(answer and answer[1]), untranslated(text)


def signature(kind, text):
    """What a block and its translation have in common."""
    if kind == "code":
        return text if text.startswith("```cpp\n") else list(map(code_line, text.splitlines()))
    if kind == "row":
        return list(map(cell, text.split("|")))
    if kind == "heading":
        return text.split()[0], untranslated(text)
    return untranslated(text)


def differences(english, chinese):
    nothing = ("nothing", "")
    for ours, theirs in itertools.zip_longest(parts(english), parts(chinese), fillvalue=nothing):
        if ours[0] != theirs[0] or signature(*ours) != signature(*theirs):
            yield f"{ours[0]}: {ours[1]}\n{theirs[0]}: {theirs[1]}"
            if ours[0] != theirs[0]:
                return  # all that follows is shifted


def test_both_say_the_same():
    assert not list(differences(README, CHINESE))


def test_the_chinese_is_chinese():
    for kind, text in list(parts(CHINESE))[1:]:
        prose = re.sub(r"`[^`]+`|\]\([^)]+\)", "", text)
        if kind != "code" and re.search("[A-Za-z]", prose):
            assert re.search("[\u4e00-\u9fff]", prose)
            assert not re.search("[A-Za-z]+( [A-Za-z]+){3}", prose)


# A change, as a pattern that stands in both files, and what is there instead.
CHANGES = {
    "a heading less": (r"^## .*\n", ""),
    "a heading of another level": (r"^## ", "### "),
    "a paragraph less": (r"^[^-#|`\n][^\n]*(\n[^-#|`\n][^\n]*)*\n\n(?=\|)", ""),
    "a paragraph in two": (r"([,，:：])\s*`make lint`", r"\1\n\n`make lint`"),
    "an item less": (r"^- \[HACKING.*\n", ""),
    "a row less": (r"^\| `make test` .*\n", ""),
    "a column less": (r"^(\| CPU.*)\| .* \|$", r"\1|"),
    "another answer": (r"\| (no|否) \|", "| yes |"),
    "code in a cell": (r"^\| `info LIB` ", "| `info FILE` "),
    "code in a sentence": (r"`kNoGradient`", "`kGradient`"),
    "a number in a cell": (r"2\.16\.2", "2.16.1"),
    "a number in a sentence": (r"Debian 12", "Debian 13"),
    "a line of C++": (r"/\*cost=\*/1", "/*cost=*/2"),
    "a line of Python": (r"^opwright\.versions\(\)", "opwright.version()"),
    "a command": (r"^opwright build wave_gate ", "opwright build wave "),
    "a comment less": (r"^(opwright new wave_gate) +#.*", r"\1"),
    "a number in a comment": (r"# \[ 4\. 10\. 18\.\]", "# [ 4. 10. 19.]"),
    "another language of code": (r"^```python", "```"),
    "another link": (r"\(docs/abi\.md\)", "(HACKING.md)"),
    "another file's name": (r"\[docs/abi\.md\]", "[abi.md]"),
    "no link to the other": (r"\[([^\]]*)\]\(README.*?\)", r"\1"),
    "nothing in bold": (r"^- \*\*(.*?)\*\*", r"- \1"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("file", FILES)
def test_a_change_of_one_alone_is_seen(file, change):
    texts = dict(zip(FILES, [README, CHINESE]))
    pattern, instead = CHANGES[change]
    texts[file], count = re.subn(pattern, instead, texts[file], count=1, flags=re.MULTILINE)
    assert count == 1
    assert list(differences(*texts.values()))
