"""README and site_src say what is true: blocks are right, code runs, commands work, generated parts are in step."""

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType

import pytest
import yaml
from command_docs import help_text
from generated_docs import ROOT, regenerated
from hosts import follow

from acdl_mkdocs import render
from acdl_mkdocs.drawing.formats import FORMATS
from acdl_mkdocs.foundation.reports import REPORTS
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.cli.playbook import ACTIONS
from acdl_mkdocs.frontends.cli.pml import PML_ACTIONS
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.markdown import superfences
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names
from acdl_mkdocs.frontends.docs.settings import SETTINGS
from acdl_mkdocs.prompts.pml.read import read as read_document
from acdl_mkdocs.prompts.pml.write import write as write_document
from acdl_mkdocs.workspace.fences import Fence, scan_fences
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.options import OPTIONS, read_block_header
from acdl_mkdocs.workspace.settings import load_settings

SITE = ROOT / "site_src"
PAGES = [ROOT / "README.md", *sorted(SITE.rglob("*.md"))]
FIGURE = SITE / "assets" / "readme.svg"
PROMPTS = "acdl_mkdocs/playbook/learn/prompts"
"""Specs of the package that pages show."""
PROGRAMS = {"acdl", "cp", "make", "mkdir", "mkdocs", "pip", "sphinx-build"}
"""Programs that readers of these pages have."""
FOLLOWED = {step.place for host in follow.HOSTS.values() for step in follow.steps(host)}
"""Places of blocks that `hosts/test_follow.py` runs in order, with the files that they need."""
CONTRIBUTED = "site_src/develop/add-a"
"""Pages whose files are put in place and whose commands are run, in order, by `test_contributor_pages.py`."""

_SNIPPET = re.compile(r"--8<-- \"([^\"]+)\"")


def name_of(path: Path) -> str:
    """What a page is called in the names of tests."""
    return path.relative_to(ROOT).as_posix()


def fences(language: str) -> Iterator[tuple[str, Fence]]:
    """The blocks of a language on all pages, each with the name of its place."""
    for page in PAGES:
        for fence in scan_fences(page.read_text("utf-8").split("\n")):
            if fence.language == language:
                yield f"{name_of(page)}:{fence.first + 1}", fence


def cases(language: str) -> list[object]:
    """One case of a test for each block of a language that is not a file of a page for contributors."""
    return [
        pytest.param(fence, id=place)
        for place, fence in fences(language)
        if not (place.startswith(CONTRIBUTED) and 'title="' in fence.header)
    ]


@cache
def everything() -> str:
    """The text of all pages."""
    return "\n".join(page.read_text("utf-8") for page in PAGES)


@pytest.fixture
def updates(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are to be written anew."""
    return bool(request.config.getoption("--update-golden", default=False))


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what readers have in front of them, in which commands may write."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("examples", "site_src"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / PROMPTS, folder / PROMPTS)
    for name in ("README.md", "mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "site_src", folder / "docs")
    shutil.copy(ROOT / "examples" / "agents" / "react_openai.run.jsonl", folder / "run.jsonl")  # what readers recorded
    return folder


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_generated_parts(page: Path, updates: bool) -> None:
    """Tables, help texts, messages and lists of examples are those of the code."""
    text = page.read_text("utf-8")
    actual = regenerated(text)
    if updates and actual != text:
        page.write_text(actual, "utf-8")
        return
    assert actual == text, f"{name_of(page)} is out of date: make golden"


def test_figure_of_the_readme(updates: bool) -> None:
    """The figure in the README is that of the block beside it."""
    (fence,) = [fence for place, fence in fences("acdl") if place.startswith("README.md")]
    command = [sys.executable, "-m", "acdl_mkdocs", "render", "README.md"]
    actual = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    assert fence.text.split("[")[0] in actual
    if updates and (not FIGURE.exists() or FIGURE.read_text("utf-8") != actual):
        FIGURE.write_text(actual, "utf-8")
    assert FIGURE.read_text("utf-8") == actual, "acdl render README.md -o site_src/assets/readme.svg"


def test_blocks_are_right() -> None:
    """No block of README and site has an error or a warning."""
    command = [sys.executable, "-m", "acdl_mkdocs", "check", "--strict", "README.md", "site_src"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_blocks_shown_as_text_are_right() -> None:
    """Nor has a block that a page shows as text, to say how it is written."""
    n_blocks = 0
    for place, outer in fences("markdown"):
        for fence in map(move_options, scan_fences(outer.text.split("\n"))):
            if fence.language == "acdl":
                n_blocks += 1
                assert not read_block_header(Source(fence.opening)).diagnostics, place
                if fence.text.strip():
                    assert "broken" not in render(fence.text, "html"), place
    assert n_blocks > 10


def test_languages_of_fences() -> None:
    """Every fence names a language that this file knows how to check."""
    known = {*BLOCKS, "css", "diff", "elisp", "json", "lua", "markdown", "python", "sh", "text", "toml", "xml", "yaml"}
    known |= {"py"}  # Python that needs more than this project to run
    known |= {"latex", "typst"}  # compiled by `make renderers`
    known |= {"html", "js", "ts"}  # of pages that `hosts/follow.py` follows
    for page in PAGES:
        for fence in scan_fences(page.read_text("utf-8").split("\n")):
            assert fence.language in known, f"{name_of(page)}:{fence.first + 1}"
            assert fence.is_closed, f"{name_of(page)}:{fence.first + 1}"


@pytest.mark.parametrize("fence", cases("python"))
def test_python_runs(fence: Fence, clone: Path) -> None:
    """Python code runs as it stands, from a clone of the project."""
    command = [sys.executable, "-c", fence.text]
    ran = subprocess.run(command, cwd=clone, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("fence", cases("py"))
def test_python_is_parsed(fence: Fence) -> None:
    """Python code that does not run here has no error of syntax."""
    ast.parse(with_snippets(fence.text))


@pytest.mark.parametrize("fence", cases("xml"))
def test_documents_are_read(fence: Fence) -> None:
    """What stands there as XML is a document of PML, in its normal form."""
    document = read_document(fence.text)
    assert document.prompt is not None
    assert not document.has_errors
    assert write_document(document.prompt) == fence.text.rstrip("\n") + "\n"


class Loader(yaml.SafeLoader):
    """YAML with the tags that docs tools give a meaning, as text."""


Loader.add_multi_constructor("", lambda _, suffix, node: (suffix, type(node).__name__))


@pytest.mark.parametrize("fence", cases("yaml"))
def test_yaml_is_read(fence: Fence) -> None:
    """A configuration is a mapping."""
    assert isinstance(yaml.load(fence.text, Loader), dict)  # noqa: S506 - the loader makes text of all tags


@pytest.mark.parametrize("fence", cases("json"))
def test_json_is_read(fence: Fence) -> None:
    """A configuration is an object."""
    assert isinstance(json.loads(fence.text), dict)


@pytest.mark.parametrize("fence", cases("toml"))
def test_toml_is_read(fence: Fence, tmp_path: Path) -> None:
    """A file of settings says what exists, others are TOML."""
    assert tomllib.loads(with_snippets(fence.text))
    if 'title="acdl.toml"' in fence.header:
        (tmp_path / "acdl.toml").write_text(fence.text, "utf-8")
        assert load_settings(tmp_path).folder == tmp_path


def with_snippets(text: str) -> str:
    """A block with the files that it includes."""
    return _SNIPPET.sub(lambda found: (ROOT / found[1]).read_text("utf-8"), text)


def command_lines() -> list[object]:
    """One case of a test for each line of each shell block."""
    return [
        pytest.param(line, id=f"{place}-{line}")
        for place, fence in fences("sh")
        for line in fence.text.splitlines()
        if line.strip()
        and place not in FOLLOWED
        and not place.startswith(CONTRIBUTED)
        and 'title="In a terminal"' not in fence.header  # run in order, as a generated part
    ]


@pytest.mark.parametrize("line", command_lines())
def test_command_lines(
    line: str, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs exist; targets of make too; every `acdl` command runs and finds nothing wrong."""
    program, *words = line.split()
    if program.startswith(".venv/bin/"):
        assert program.rpartition("/")[2] in ("pytest", "python")
        assert all((ROOT / word).exists() for word in words if "/" in word)
        return
    assert program in PROGRAMS
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert [word for word in words if "=" not in word] == [word for word in words if word in targets]
    if program == "acdl":
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.chdir(tmp_path if words[:1] == ["new"] else clone)  # nothing is made over a file
        assert main(words) == 0, "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(f"playbook {name}" for name in ACTIONS), *(f"pml {name}" for name in PML_ACTIONS)],
)
def test_commands_are_explained(command: str) -> None:
    """Every command and action has a page with its help, and every option in that help a sentence."""
    path = SITE.joinpath("reference", "cli", *command.split())
    page = (path / "index.md" if path.is_dir() else path.with_suffix(".md")).read_text("utf-8")
    assert page.startswith(f"# acdl {command}\n")
    assert f"<!-- generated: usage {command} -->" in page
    assert f"<!-- generated: options {command} -->" in page
    assert "%(" not in page
    lines = help_text(command).partition("options:")[2].rstrip().split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("  -"):
            has_words = re.search(r"\S {2,}\S", line.strip()) or following.startswith("   ")
            assert has_words, f"acdl {command}: no help for {line.strip()}"


def test_settings_are_explained() -> None:
    """Each setting of the Markdown extension, and of the fence for Zensical, is a line of a table."""
    pages = {name: (SITE / "tools" / f"{name}.md").read_text("utf-8") for name in ("python-markdown", "zensical")}
    assert [name for name in SETTINGS if not re.search(rf"^\|.*`{name}`", pages["python-markdown"], re.M)] == []
    keywords = re.findall(r"`(\w+)=", superfences.fence.__doc__ or "")
    assert {"strict", "watch"} <= set(keywords)
    assert [name for name in keywords if f"| `{name}` |" not in pages["zensical"]] == []


@pytest.mark.parametrize("name", [*OPTIONS, *FORMATS, *REPORTS])
def test_names_are_mentioned(name: str) -> None:
    """Options of blocks, outputs and reports are in the documentation."""
    assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", everything())


def diagnostic_names() -> set[str]:
    """Every name that a diagnostic of the package can have, from the code."""
    calls = re.compile(r'\b(?:error|warning|note|report)\(\s*"([a-z]+(?:-[a-z]+)*)",')
    package = ROOT / "acdl_mkdocs"
    return {name for path in package.rglob("*.py") for name in calls.findall(path.read_text("utf-8"))}


def list_undescribed(node: ast.stmt, name: str) -> Iterator[str]:
    """Attributes of a class and parameters of a function, by their paths, that have no description."""
    if isinstance(node, ast.ClassDef):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        for body in (node.body, *(each.body for each in methods if each.name == "__init__")):
            for each, after in pairwise([*body, ast.Pass()]):
                has_words = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                match each:
                    case ast.AnnAssign(ast.Name(attribute)) | ast.Assign([ast.Attribute(ast.Name("self"), attribute)]):
                        if not has_words and not attribute.startswith("_"):
                            yield f"{name}.{attribute}"
        for each in methods:
            if not each.name.startswith("_"):
                yield from list_undescribed(each, f"{name}.{each.name}")
    if isinstance(node, ast.FunctionDef):
        words, given = ast.get_docstring(node) or "", node.args
        listed = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
        names = [each.arg for each in listed if each.arg not in ("self", "cls")]
        if not words:
            yield name
        yield from (f"{name}({each})" for each in names if not re.search(rf"^    {each}: ", words, re.MULTILINE))


def test_python_api_is_described() -> None:
    """Every attribute and parameter that the pages of the Python API show has a description."""
    names = re.findall(r"^::: (acdl_mkdocs\.[\w.]+)$", everything(), re.MULTILINE)
    modules = {name: resolve_name(name) for name in names if inspect.ismodule(resolve_name(name))}
    shown = [name for name in names if name not in modules]
    shown += [f"{name}.{each}" for name, module in modules.items() for each in module.__all__]
    things = {name: resolve_name(name) for name in shown}
    sources = {name: inspect.getsource(each) for name, each in things.items() if isinstance(each, type | FunctionType)}
    assert len(sources) > 100
    nodes = {name: ast.parse(textwrap.dedent(source)).body[0] for name, source in sources.items()}
    assert [each for name, node in nodes.items() for each in list_undescribed(node, name)] == []


def test_every_diagnostic_is_explained() -> None:
    """Every problem that can be reported has a page among the rules."""
    names = diagnostic_names()
    assert {"syntax", "unknown-option", "unknown-fragment", "missing-src"} <= names
    assert names - {*all_names()} == set()


def test_every_example_is_explained() -> None:
    """The notes on the examples have every file of `examples/`."""
    page = (SITE / "examples.md").read_text("utf-8")
    shown = re.findall(r"<!-- generated: example (\S+) -->", page)
    assert sorted(shown) == sorted(path.name for path in (ROOT / "examples").glob("*.acdl"))


def test_files_that_are_named_exist() -> None:
    """Paths of this project in code marks lead somewhere."""
    package = ROOT / "acdl_mkdocs"
    named = re.findall(r"`((?:[a-z_.]+/)+[a-z_]+\.(?:py|lark|json|css|acdl))`", everything())
    assert len(named) > 20
    missing = {
        name
        for name in named
        if not any((base / name).exists() for base in (ROOT, package, ROOT / "tests"))
        and not name.startswith(("build/", "docs/"))
    }
    assert missing == set()


def test_files_that_figures_cite_exist() -> None:
    """`// <- file` in a figure of our pages is a link to our repository, so the file is there."""
    cited = re.compile(r"// *<- *([\w./-]*\w)")
    blocks = [(page, fence) for page in PAGES for fence in scan_fences(page.read_text("utf-8").split("\n"))]
    named = [
        (name_of(page), path)
        for page, fence in blocks
        if fence.language == "acdl"
        for path in cited.findall(fence.text)
    ]
    assert len(named) >= 3
    assert [each for each in named if not (ROOT / each[1]).is_file()] == []


def test_changelog_has_unreleased_first() -> None:
    """The newest version is on top."""
    first = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first
    assert first[1] == "Unreleased"
