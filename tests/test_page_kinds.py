"""Every kind of page: the same blocks, as `check`, `format`, the language server and the builds see them."""

import json
import os
import re
import subprocess
import sys
from ast import Module
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs import page as docstring_places
from acdl_mkdocs.frontends.docs.block_kinds import draw_block
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.lsp.workspace_checks import WorkspaceChecks
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.page_kinds import PAGE_KINDS, blocks_in, kind_at, parts_of, replace_parts, specs_in

NAMES = ("Plain", "Nested", "Listed")
WRONG = "error[content-outside-role]"


def spec(name: str) -> str:
    """A spec that is not in its normal form, has one problem in its second line and is written in three lines."""
    return f"{name}[@T]: {{\n  S: RULES\n  env.q[@T] }}\n"


def fence(name: str, mark: str = "```acdl") -> str:
    """The same as a block of Markdown."""
    return f"{mark}\n{spec(name)}```\n"


def directive(name: str) -> str:
    """The same as a directive of reStructuredText."""
    return f".. acdl::\n\n{indent(spec(name), '   ')}\n"


def listed(block: str, gap: str) -> str:
    """A block in an item of a list."""
    return f"- item\n\n{indent(block, gap)}\n"


MARKDOWN = (
    f"# Title\n\n{fence('Plain')}\n!!! note\n\n{indent(fence('Nested'), '    ')}\n{listed(fence('Listed'), '    ')}"
)
MYST = (
    f"# Title\n\n{fence('Plain')}\n````{{note}}\n{fence('Nested', '```{acdl}')}````\n\n{listed(fence('Listed'), '  ')}"
)
RST = (
    f"Title\n=====\n\n{directive('Plain')}\n.. note::\n\n{indent(directive('Nested'), '   ')}\n"
    f"{listed(directive('Listed'), '  ')}"
)
MODULE = (
    f'"""Title.\n\n{fence("Plain")}"""\n\n\nclass Agent:\n    """An agent.\n\n    Example:\n'
    f'{indent(fence("Nested"), " " * 8)}\n{indent(listed(fence("Listed"), "    "), " " * 4)}    """\n'
)
AUTODOC = f'"""Title.\n\n{directive("Plain")}"""\n\n\nclass Agent:\n    """An agent.\n\n    .. note::\n\n' + (
    f'{indent(directive("Nested"), " " * 7)}\n{indent(listed(directive("Listed"), "  "), " " * 4)}    """\n'
)
CELLS = [f"# Title\n\n{fence('Plain')}", f"````{{note}}\n{fence('Nested')}````", listed(fence("Listed"), "  ")]


def notebook(cells: list[str]) -> str:
    """A notebook as Jupyter writes it, with a cell of code before each of Markdown."""
    found = []
    for number, cell in enumerate(cells):
        found.append({"cell_type": "code", "source": ["```acdl\n", "X\n", "```"], "outputs": [], "metadata": {}})
        source = cell if number == 1 else cell.splitlines(keepends=True)
        found.append({"cell_type": "markdown", "metadata": {}, "source": source})
    return json.dumps({"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


FRONT = "---\ntitle: x\nnote: |\n  ```acdl\n  In[@T]: { X }\n  ```\n---\n"
TOML = '+++\nx = """\n```acdl\nIn[@T]: { X }\n```\n"""\n+++\n'
PAGES = {
    "page.md": FRONT + MARKDOWN,
    "page.MD": TOML + MARKDOWN,
    "page.markdown": MARKDOWN,
    "page.mdown": MARKDOWN,
    "page.mkdn": MARKDOWN,
    "page.mkd": MARKDOWN,
    "page.mdx": MARKDOWN,
    "page.qmd": MYST,
    "myst.md": FRONT + MYST,
    "page.rst": RST,
    "markdown.py": MODULE,
    "rest.py": AUTODOC,
    "windows.py": MODULE.replace("\n", "\r\n"),
    "demo.ipynb": notebook(CELLS),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def page(request: pytest.FixtureRequest, folder: Path) -> Path:
    """A page in a project of its own."""
    (folder / "acdl.toml").write_text("")
    path = folder / str(request.param)
    path.write_bytes(PAGES[path.name].encode())
    return path


ALL = pytest.mark.parametrize("page", PAGES, indirect=True)


def line_of(path: Path, name: str, text: str) -> tuple[str, int]:
    """The name of the text and the line in it on which the problem of a block is."""
    for part in parts_of(text, path.name, kind_at(path)):
        lines = part.text.split("\n")
        found = [at for at, line in enumerate(lines) if f"{name}[@T]" in line]
        if found:
            return part.name, found[0] + 3
    raise AssertionError(name)


@ALL
def test_check(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It finds the problem of each block, at the line of the file, named or in the folder."""
    expected = [line_of(page, name, PAGES[page.name]) for name in NAMES]
    for argument in (page.name, "."):
        assert main(["check", "--format", "line", argument]) == 1
        found = re.findall(r"^(.+?):(\d+):\d+: " + re.escape(WRONG), capsys.readouterr().out, re.MULTILINE)
        assert [(name, int(line)) for name, line in found] == expected


@ALL
def test_language_server(page: Path) -> None:
    """Its problems are those of `check`, at the same lines of the file."""
    checks = WorkspaceChecks()
    checks.search_folders((page.parent,), 10)
    ((path, findings),) = checks.check_all(None, lambda: False)
    assert path == page
    numbered = PAGES[page.name].splitlines()
    lines = [numbered[source.find_place(each.label.span.start).line - 1] for each, source in findings]
    assert len(lines) == 3
    assert all("env.q[@T] }" in line for line in lines)
    places = [source.find_place(each.label.span.start) for each, source in findings]
    if page.suffix != ".ipynb":
        assert [(page.name, each.line) for each in places] == [line_of(page, name, PAGES[page.name]) for name in NAMES]


@ALL
def test_editor(page: Path) -> None:
    """A document that is open has the same blocks, each at its place; a notebook is open cell by cell."""
    document = Document(page.as_uri(), PAGES[page.name], "markdown")
    if page.suffix == ".ipynb":
        assert document.pieces == ()
        return
    assert [piece.source.text.strip("\n").splitlines()[0] for piece in document.pieces] == [
        f"{n}[@T]: {{" for n in NAMES
    ]
    for piece in document.pieces:
        start = piece.source.text.index("env.q")
        assert document.text[piece.start :].lstrip().startswith(piece.source.text.strip("\n").partition("\n")[0])
        span = piece.to_document(type(piece.span)(start, start + 5))
        assert document.text[span.start : span.end] == "env.q"


@ALL
def test_format(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It changes the lines of the blocks and nothing else, and then has nothing to do."""
    right = PAGES[page.name].replace("  env.q[@T] }", "  U: env.q[@T] }")
    page.write_bytes(right.encode())
    assert main(["format", "--check", page.name]) == 1
    assert page.read_bytes().decode() == right
    assert main(["format", page.name]) == 0
    assert main(["format", "--check", page.name]) == 0
    assert main(["check", "--strict", page.name]) == 0
    capsys.readouterr()
    made = page.read_bytes().decode()
    inside = re.compile(r"^.*(?:S: RULES|U: env\.q\[@T\]|^[\s\">n\\,]*\}[\"n\\,]*\s*$).*$", re.MULTILINE)
    if page.suffix != ".ipynb":
        assert inside.sub("", made).split() == inside.sub("", right).split()
        assert made.count("U: env.q[@T]") == 3
    before, after = (json.loads(each)["cells"] if page.suffix == ".ipynb" else [] for each in (right, made))
    assert [type(each["source"]) for each in before] == [type(each["source"]) for each in after]
    assert ("\r\n" in made) == ("\r\n" in right)
    assert [each for each in before if each["cell_type"] == "code"] == [e for e in after if e["cell_type"] == "code"]


@pytest.mark.parametrize("page", ["page.md", "page.rst", "markdown.py", "demo.ipynb"], indirect=True)
def test_fix(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fix changes the line that it is for, in a block of any kind of page."""
    wrong = PAGES[page.name].replace("  env.q[@T] }", "  User: env.q[@0] }")
    page.write_bytes(wrong.encode())
    main(["check", "--fix", "--unsafe", page.name])
    assert "fixed" in capsys.readouterr().err
    changed = page.read_bytes().decode()
    assert changed != wrong
    assert len(changed.split("\n")) == len(wrong.split("\n"))


def test_a_notebook_stays_as_it_is() -> None:
    """Only the source that changes is written anew, as it was written: everything else stays, to the byte."""
    text = (
        '{"nbformat":4,  "cells" : [\n {"source": ["a \\u00e9\\n",  "b"], "cell_type": "markdown"},\n'
        ' {"cell_type":"markdown","source":"c \\"d\\" é"} , {"cell_type":"code","source":["x"]}, '
        '{"cell_type": "raw", "source": []}]}'
    )
    parts = parts_of(text, "n.ipynb", "notebook")
    assert [(each.name, each.text) for each in parts] == [("n.ipynb:cell 1", "a é\nb"), ("n.ipynb:cell 2", 'c "d" é')]
    assert replace_parts(text, "notebook", [each.text for each in parts]) == text
    made = replace_parts(text, "notebook", ["a é\nb\nc", 'c "e" é'])
    assert made == text.replace('"b"]', '"b\\n",  "c"]').replace('\\"d\\"', '\\"e\\"')


@pytest.mark.parametrize(
    ("line", "is_parsed"),
    [("``` { .ACDL }", True), (".. acdl::", True), (":::{acdl}", True), ("~~~ acdl", True), ("Acdl figures", False)],
)
def test_only_files_with_blocks_are_parsed(line: str, is_parsed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project has many Python files, and checking its pages looks at each of them."""
    parsed: list[str] = []

    def parse(text: str) -> Module:
        parsed.append(text)
        return Module([], [])

    monkeypatch.setattr("ast.parse", parse)
    text = f'"""A module.\n\n{line}\n"""\nimport acdl_mkdocs  # {line}\n'
    assert blocks_in(text, "python") == ()
    assert bool(parsed) == is_parsed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""```acdl\nX\n```"""\n', (1, 4)),
        ('class A:\n    def f(self):\n        r"""```acdl title="é"\n        X\n        ```\n        """\n', (3, 13)),
        ("class A:\n\tX = 1\n\t'''An attribute.\n\n\t```acdl\n\tX\n\t```'''\n", (5, 2)),
        ('"""é"""\n"""\n.. acdl::\n\n   X\n"""\n', (3, 1)),
    ],
)
def test_docstrings(text: str, expected: tuple[int, int]) -> None:
    """A block is found wherever in a docstring it stands, with the place of its opening line."""
    (found,) = blocks_in(text, "python")
    assert (found.first + 1, len(found.prefix) + 1) == expected
    assert found.text.strip() == "X"
    assert found.is_closed


LEFT = {
    "escape": '"""A.\n\n```acdl\nA[@T]: { S: "\\\\n" }\n```\n"""\n',
    "lines": '"""A.\\n\\n```acdl\\nA[@T]: { X }\\n```\\n"""\n',
    "continued": '"""A.\n\n```acdl\nA[@T]: { \\\nX }\n```\n"""\n',
    "f-string": 'f"""A.\n\n```acdl\nA[@T]: {{ X }}\n```\n"""\n',
    "broken": 'def f(:\n    """A.\n\n    ```acdl\n    A[@T]: { X }\n    ```\n    """\n',
}


@pytest.mark.parametrize("name", LEFT)
def test_blocks_that_are_passed_over(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block whose text is not that of the file is reported, once, and is never changed."""
    path = folder / "agent.py"
    path.write_text(LEFT[name])
    main(["format", "agent.py"])
    assert path.read_text() == LEFT[name]
    capsys.readouterr()
    assert main(["check", "--strict", "agent.py"]) == 1
    assert capsys.readouterr().out.count("warning[unread-block]") == 1


def test_files_without_blocks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other Python files are not looked at in a folder, and have nothing wrong if they are named."""
    (folder / "a.acdl").write_text("A[@T]: { S: RULES U: env.q[@T] }\n")
    (folder / "b.py").write_text("def f(: # no Python\n")
    (folder / "c.py").write_text('X = """\n```acdl\nnot a docstring\n```\n"""\n')
    (folder / "venv").mkdir()
    (folder / "venv" / "pyvenv.cfg").write_text("")
    (folder / "venv" / "d.py").write_text(MODULE)
    assert main(["check", "--strict", ".", "b.py"]) == 0
    assert "1 spec" in capsys.readouterr().err


def test_documents_that_are_not_read(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that seem to have blocks are named once; the others are no matter. Folders are searched once for all."""
    searched: list[str] = []
    walk = os.walk

    def counted(top: Path, **options: Any) -> Iterator[tuple[str, list[str], list[str]]]:
        searched.append(str(top))
        return walk(str(top), **options)

    monkeypatch.setattr(os, "walk", counted)
    (folder / "a.acdl").write_text("A[@T]: { S: RULES U: env.q[@T] }\n")
    (folder / "b.tex").write_text("\\begin{acdl}\nX\n\\end{acdl}\n")
    (folder / "c.adoc").write_text("[source,acdl]\n----\nX\n----\n")
    (folder / "d.org").write_text("acdl in a sentence\n")
    assert main(["check", "--strict"]) == 0
    assert capsys.readouterr().err.count("not read, though it seems to have acdl blocks: b.tex and 1 more; .md, ") == 1
    assert searched == ["."]


MYST_CASES = {
    "`````{a} T\n````{b}\n```acdl\nX\n```\n````\n`````\n": 1,
    ":::{note}\n```acdl\nX\n```\n:::\n": 1,
    "::::{tab-set}\n:::{tab-item} A\n```{acdl}\nX\n```\n:::\n::::\n": 1,
    ":::{acdl} title=x\nX\n:::\n": 1,
    "````{code-block} md\n```acdl\nX\n```\n````\n": 0,
    "````{literalinclude} a\n```acdl\nX\n```\n````\n": 0,
    "````md\n```acdl\nX\n```\n````\n": 0,
    "````{.md}\n```acdl\nX\n```\n````\n": 0,
    "````{note}\n```acdl\nX\n````\n\n```acdl\nY\n```\n": 2,
    ":::{acdl}\n:show: side\n\nX\n:::\n": 1,
    "- a\n\n  ```{eval-rst}\n  .. note::\n\n     .. acdl::\n\n        X\n\n  .. acdl::\n\n     Y\n  ```\n": 2,
    "```eval-rst\n.. acdl::\n\n   X\n```\n": 0,
}


@pytest.mark.parametrize("text", MYST_CASES)
def test_directives_of_myst(text: str) -> None:
    """What a directive holds is read like the page, if MyST does so; other tools show it as code."""
    found = [each for each in blocks_in(text, "myst") if each.language == "acdl"]
    assert len(found) == MYST_CASES[text]
    assert [move_options(each).text.strip() for each in found] == ["X", "Y"][: len(found)]
    if text.startswith("`"):
        texts = [each.text.strip() for each in blocks_in(text, "markdown") if each.language == "acdl"]
        assert texts == (["Y"] if "Y" in text else [])


def test_the_docs_tool_says_how_markdown_is_read(folder: Path) -> None:
    """The nearest configuration counts."""
    (folder / "docs").mkdir()
    assert kind_at(folder / "docs" / "a.md") == "myst"
    (folder / "mkdocs.yml").write_text("")
    assert kind_at(folder / "docs" / "a.md") == "markdown"
    (folder / "docs" / "conf.py").write_text("")
    assert kind_at(folder / "docs" / "a.md") == "myst"


def test_the_project_of_sphinx(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`src` starts where Sphinx lets it start: at `conf.py`, or where that says."""
    (folder / "docs").mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "docs" / "page.rst").write_text(".. acdl:: a.acdl\n\n.. acdl::\n   :src: a.acdl#A\n")
    for root, line in (("docs", ""), (".", "acdl = {'specs': [], 'root': '..'}\n")):
        (folder / root / "a.acdl").write_text("A[@T]: { S: RULES U: env.q[@T] }\n")
        (folder / "docs" / "conf.py").write_text(f"extensions = ['acdl_mkdocs.sphinx']\n{line}")
        assert main(["check", "--strict", "docs/page.rst"]) == 0
        (folder / root / "a.acdl").unlink()
        assert main(["check", "docs/page.rst"]) == 1
    capsys.readouterr()


def test_front_matter_is_only_at_the_top() -> None:
    """A line that only looks like its beginning hides no block."""
    block = "```acdl\nX\n```\n"
    for text in (
        f"---\n\nwords\n\n{block}\n---\n",
        f"\n---\na: b\n{block}---\n",
        f"---\na: b\n{block}",
        f"+++\n{block}+++\n",
    ):
        assert len(blocks_in(text, "markdown")) == 1


def built_with_mkdocstrings(folder: Path, *, paths: str, is_strict: bool) -> None:
    """Build a site."""
    (folder / "theme").mkdir(exist_ok=True)
    (folder / "theme" / "main.html").write_text("{{ page.content }}")
    (folder / "mkdocs.yml").write_text(
        "site_name: x\ntheme: {name: null, custom_dir: theme}\nmarkdown_extensions: [admonition]\n"
        f"plugins:\n  - acdl\n  - mkdocstrings: {{handlers: {{python: {{paths: [{paths}]}}}}}}\n"
    )
    config = load_config(str(folder / "mkdocs.yml"), strict=is_strict)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)


def test_mkdocs_and_mkdocstrings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build draws the blocks of pages of every ending that it takes, and those of docstrings.

    It does not search Python files, because nothing is wrong.
    """
    pytest.importorskip("mkdocstrings")
    monkeypatch.delattr(docstring_places, "_python_files")
    right = {name: text.replace("  env.q[@T] }", "  U: env.q[@T] }") for name, text in PAGES.items()}
    (folder / "docs").mkdir()
    for number, name in enumerate(("page.md", "page.markdown", "page.mdown", "page.mkdn", "page.mkd")):
        (folder / "docs" / f"a{number}{Path(name).suffix}").write_text(right[name])
    (folder / "docs" / "api.md").write_text("# API\n\n::: agents_of_a_test\n\nSee [the agent](acdl:Plain).\n")
    docstring = right["markdown.py"].replace('"""Title.', '"""Title: [it](acdl:Plain) `[no](acdl:No)`.')
    (folder / "agents_of_a_test.py").write_text(docstring)
    built_with_mkdocstrings(folder, paths=".", is_strict=True)
    for page in ("a0", "a1", "a2", "a3", "a4", "api"):
        html = (folder / "site" / page / "index.html").read_text()
        assert len(re.findall(r'<figure[^>]* id="(\w+)"', html)) == 3, page
    assert html.count('class="acdl-reference"') == 2
    assert "acdl:Plain" not in html


BROKEN_DOCSTRING = '''"""Title: [it](acdl:Nope).

Example:
    ```acdl
    Asking[@T]: { U: { S: { A } } }
    ```

```acdl titel=x
Asking[@T]: { U: env.q[@T] }
```

```acdl-gallery tgas=x
```

```acld
```
"""
'''


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Place and rule of each problem, in order."""
    lines = [re.match(r"(.*:\d+:\d+): \w+(\[[\w-]+\])", each.getMessage()) for each in caplog.records]
    caplog.clear()
    return sorted(f"{found[1]} {found[2]}" for found in lines if found)


def test_places_of_problems_in_docstrings(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """MkDocs reports a problem of a docstring at the lines of the Python file, also if these have changed."""
    pytest.importorskip("mkdocstrings")
    site, module = folder / "site_of_it", folder / "lib" / "agents_of_a_test.py"
    (site / "docs").mkdir(parents=True)
    module.parent.mkdir()
    (site / "docs" / "api.md").write_text("# API\n\n::: agents_of_a_test\n")
    for n_before in (0, 3):
        module.write_text("# comment\n" * n_before + BROKEN_DOCSTRING)
        built_with_mkdocstrings(site, paths="../lib", is_strict=False)
        expected = {
            f"../lib/agents_of_a_test.py:{line + n_before}:{column} [{rule}]"
            for line, column, rule in (
                (1, 16, "unknown-reference"),
                (5, 24, "nested-role"),
                (8, 9, "unknown-option"),
                (12, 17, "unknown-option"),
                (15, 4, "unknown-fence"),
            )
        }
        assert expected <= set(logged(caplog))
        shown = (site / "site" / "api" / "index.html").read_text()
        assert f"../lib/agents_of_a_test.py:{5 + n_before}:24" in re.sub("<[^>]*>", "", shown)


def test_the_same_block_in_several_docstrings(folder: Path) -> None:
    """Its page is named with all of them, but for copies that git ignores, and files that cannot be read."""
    block = "```acdl\nAsking[@T]: { U: { S: { A } } }\n```\n"
    text = f'"""Title.\n\n{block}"""\n'
    for name in ("a.py", "build/a.py", "b.py", ".hidden/c.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bytes.py").write_bytes(b"acdl \xff")
    (folder / "broken.py").write_text(f"def (\n{text}")

    def reported() -> list[str]:
        said: list[str] = []
        page = Page(
            name="docs/a.md", text="words", root=folder, report=lambda _, line: said.append(line.split(" er")[0])
        )
        (fence,) = fences_of(block)
        draw_block(fence, page)
        return said

    assert reported() == ["docs/a.md (block of a.py:3 or b.py:3 or build/a.py:3):2:20:"]
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".gitignore").write_text("build\n")
    assert reported() == ["docs/a.md (block of a.py:3 or b.py:3):2:20:"]
    (folder / "b.py").unlink()
    assert reported() == ["a.py:4:20:"]
    (folder / "a.py").write_text(text.replace("A", "B"))
    (folder / "build" / "a.py").unlink()
    assert reported() == ["docs/a.md (generated block):2:20:"]


def test_places_of_problems_in_docstrings_by_autodoc(tmp_path: Path) -> None:
    """Sphinx reports a problem of a block in a docstring at the lines of the Python file."""
    from integrations.sphinx_project import Project

    project = Project(tmp_path)
    project.write(
        "conf.py",
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent))\nproject = 'Test'\n"
        "extensions = ['sphinx.ext.autodoc', 'acdl_mkdocs.sphinx']\nhtml_theme = 'basic'\n",
    )
    twice = ".. acdl::\n\n       Twice[@T]: { U: { S: { A } } }\n"
    project.write(
        "broken_rest.py",
        "def ask() -> None:\n"
        '    """Ask.\n\n    .. acdl::\n       :titel: x\n\n       Asking[@T]: {\n         U: { S: { A } }\n       }\n'
        f'\n    .. acdl::\n       :src: no.acdl\n\n    {twice}\n    {twice}    """\n',
    )
    project.write("index.rst", "API\n===\n\n.. automodule:: broken_rest\n   :members:\n")
    warned = project.build("html").warned
    sys.modules.pop("broken_rest", None)
    places = re.findall(r"^.*?(broken_rest\.py:.*?): (?:ERROR|WARNING)", warned, re.MULTILINE)
    assert places == [
        "broken_rest.py:5:9",
        "broken_rest.py:8:15",
        "broken_rest.py:12:14",
        "broken_rest.py:docstring of broken_rest.ask:15:22",
        "broken_rest.py:docstring of broken_rest.ask:19:22",
    ], warned


def test_sphinx(tmp_path: Path) -> None:
    """A build draws the blocks of MyST, of reStructuredText, and of docstrings by autodoc."""
    from integrations.sphinx_project import Project

    right = {name: text.replace("  env.q[@T] }", "  U: env.q[@T] }") for name, text in PAGES.items()}
    project = Project(tmp_path)
    project.write(
        "conf.py",
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent))\nproject = 'Test'\n"
        "extensions = ['myst_parser', 'sphinx.ext.autodoc', 'acdl_mkdocs.sphinx']\nhtml_theme = 'basic'\n",
    )
    no_index = re.compile(r"(\.\. acdl::\n)(?=\n( *))")
    project.write(
        "rest.py", no_index.sub(r"\1\2   :no-index:\n", right["rest.py"]).replace(":no-index:\n\n", ":no-index:\n\n")
    )
    project.write("index.md", right["myst.md"] + "\n```{toctree}\npage\napi\n```\n")
    project.write("page.rst", right["page.rst"])
    project.write("api.rst", "API\n===\n\n.. automodule:: rest\n   :members:\n")
    built = project.build("html")
    for name in ("index.html", "page.html", "api.html"):
        assert len(re.findall(r'<figure[^>]* id="(\w+)"', built.read(name))) == 3, (name, built.warned)


def test_every_kind_is_tried() -> None:
    """Each ending of the table is a page of this test."""
    assert {Path(name).suffix for name in PAGES} >= set(PAGE_KINDS)
    assert all(len(list(specs_in(part))) for part in parts_of(PAGES["demo.ipynb"], "", "notebook"))
