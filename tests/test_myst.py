"""Fences that MyST reads as directives are checked and formatted like others; their options stay where they are."""

import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.fences import Fence, scan_fences
from acdl_mkdocs.workspace.myst import move_options, skip_options
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_edits import format_page
from acdl_mkdocs.workspace.page_kinds import blocks_in
from acdl_mkdocs.workspace.read_block import read_block


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAGE = (
    "> ```{acdl} show=figure\n> :name: fig\n> :titel: 'My \"own\"'\n> :range: inclusive\n>\n> U:   env.q[@T]\n> ```\n"
)


def fence_of(page: str) -> Fence:
    """The only fence of a page."""
    (fence,) = scan_fences(page.split("\n"))
    return fence


def test_options_become_the_header(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Options are understood, told at their own lines, and not part of the text, whose lines keep their places."""
    block = read_block(move_options(fence_of(PAGE)), "a.md", BlockOptions(), tmp_path_factory.getbasetemp())
    assert (block.options.range, block.options.show) == ("inclusive", "figure")
    ((problem, header),) = block.findings
    assert problem.rule == "unknown-option"
    place = header.find_place(problem.label.span.start)
    assert (place.line, place.column) == (3, 4)
    at = block.source.text.index("U:")
    assert (block.source.find_place(at).line, block.source.find_place(at).column) == (6, 3)
    assert block.source.text.strip() == "U:   env.q[@T]"


@pytest.mark.parametrize(
    ("language", "file", "header"),
    [
        ("acdl", "a.acdl#Chat", 'src="a.acdl#Chat"'),
        ("pml", "a.pml.xml", 'src="a.pml.xml"'),
        ("LAIC", "a.xml", 'src="a.xml"'),
        ("acdl-playbook", "a.yaml#one", 'src="a.yaml#one"'),
        ("pml", "a.acdl", "a.acdl"),
        ("acdl-diff", "a.acdl", "a.acdl"),
    ],
)
def test_file_after_the_name(language: str, file: str, header: str) -> None:
    """A single word after the name of a directive is its `src` if it is a file of the kind that it shows."""
    assert move_options(fence_of(f"```{{{language}}} {file}\n```")).header == f"{{{language}}} {header}"
    (directive,) = blocks_in(f".. {language}:: {file}\n", "rst")
    assert move_options(directive).header.split() == [language, header]


@pytest.mark.parametrize("name", ["ACDL::", "acdl ::", "Acdl :: show=figure"])
def test_spellings_of_a_directive(name: str) -> None:
    """A directive of reStructuredText is read in any case, and with a space before its colons, as docutils does."""
    (block,) = blocks_in(f".. note ::\n\n   .. {name}\n\n      U: X\n", "rst")
    assert (block.language, block.text) == ("acdl", "\nU: X\n")


def test_other_fences_stay_as_they_are() -> None:
    """Only braces make a directive; a colon in the text of another fence is text."""
    fence = fence_of("```acdl\n:name: x\n```\n")
    assert move_options(fence) is fence
    assert skip_options(fence) is fence


def test_formatting_keeps_options() -> None:
    """The lines of options, and the empty one below them, are not part of what is formatted."""
    formatted = format_page(PAGE.replace("titel", "title"), "a.md", BlockOptions())
    assert formatted.findings == ()
    assert formatted.text == PAGE.replace("titel", "title").replace("U:   ", "U: ")


DIRECTIVES = """\
> ```{acdl}
> :titel: x
>
> A[@T]: { U: env.q[@T] }
> ```

```{acdl}
---
name: b
caption: 'one: two'
widht: 300

---
B[@T]: { U: env.q[@T] }
```

- item

  ```{acdl-gallery}
  :sorrt: name
  ```

```{acdl-playbook}
---
sections: x
src: none.yaml
---
```
"""
PLACES = ["2:4 unknown-option", "11:1 unknown-option", "20:4 unknown-option", "25:1 unknown-option", "26:6 missing-src"]
COLONS = "\n:::{acdl} show=side\n:titel: x\n\nC[@T]: { U: env.q[@T] }\n:::\n"
RST_DIRECTIVES = """\
.. acdl:: show=figure
   :titel: x

   A[@T]: { U: env.q[@T] }

* .. acdl-gallery::
     :sorrt: name

.. acdl-diff::

   old: A
   new: Aa
"""
RST_PLACES = ["2:5 unknown-option", "7:7 unknown-option", "12:9 unknown-spec"]


@pytest.mark.parametrize(
    ("page", "configuration", "text", "places"),
    [
        ("index.md", "mkdocs.yml", DIRECTIVES, PLACES),
        ("index.md", "conf.py", DIRECTIVES + COLONS, [*PLACES, "31:2 unknown-option"]),
        ("index.rst", "conf.py", RST_DIRECTIVES, RST_PLACES),
    ],
)
def test_options_on_their_own_lines(
    page: str, configuration: str, text: str, places: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every block takes them in every docs tool, and a mistake is told at its place."""
    (folder / configuration).write_text("")
    (folder / page).write_text(text)
    assert main(["check", "--format", "line", page]) == 1
    shown = capsys.readouterr().out.splitlines()
    found = [re.sub(rf"{page}:(\d+:\d+): error\[([\w-]+)\].*", r"\1 \2", line) for line in shown]
    assert sorted(found, key=lambda line: int(line.partition(":")[0])) == places


def test_mkdocs_takes_options_on_their_own_lines(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A page of MyST is drawn and checked in MkDocs as `acdl check` says."""
    (folder / "docs").mkdir()
    (folder / "theme").mkdir()
    (folder / "theme" / "main.html").write_text("{{ page.content }}")
    (folder / "mkdocs.yml").write_text(
        "site_name: x\ntheme: {name: null, custom_dir: theme}\nmarkdown_extensions: [def_list]\nplugins: [acdl]\n"
    )
    (folder / "docs" / "index.md").write_text(f"{DIRECTIVES}\n```{{acdl}}\n:show: text\n\nC[@T]: {{ U: X }}\n```\n")
    build(load_config(str(folder / "mkdocs.yml")))
    found = re.findall(r"index.md:(\d+:\d+): error(?:\[)([\w-]+)", caplog.text)
    assert sorted((f"{place} {rule}" for place, rule in found), key=lambda line: int(line.split(":")[0])) == PLACES
    html = (folder / "site" / "index.html").read_text("utf-8")
    assert re.findall(r'<figure class="acdl" id="(\w+)">', html) == ["A", "B", "C"]
    assert ":show:" not in html
