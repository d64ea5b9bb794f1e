"""The house rules that a machine can hold: sizes, directions of import, names, lint, types, files in step."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from statistics import median

import pytest

import acdl_mkdocs
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.scene import Scene
from acdl_mkdocs.drawing.formats import FORMATS
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.explanations import FAMILIES
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.playbook import ACTIONS
from acdl_mkdocs.frontends.cli.pml import PML_ACTIONS
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.tables import COMPILED, GRAMMAR, compile_tables

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "acdl_mkdocs"
MODULES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = ("acdl_mkdocs", "tests", "benchmarks", "fuzz", "supply")
OURS = sorted(path for name in FOLDERS for path in (ROOT / name).rglob("*.py"))
ALL_ACTIONS = {*ACTIONS.values(), *PML_ACTIONS.values()}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

MAX_LINES, MAX_MEDIAN_LINES, MAX_FUNCTION_LINES = 600, 150, 40
"""Of `language/syntax/nodes.py`: one class for each construct of the language, and nothing else."""


def name_of(path: Path) -> str:
    """What a file is called in messages."""
    return path.relative_to(ROOT).as_posix()


def n_lines(path: Path) -> int:
    """How long a file is."""
    return len(path.read_text("utf-8").splitlines())


def tree_of(path: Path) -> ast.Module:
    """Python's tree of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def docstring_of(path: Path) -> str:
    """The docstring of a file, whose rest is not parsed; empty if it begins with something else."""
    with path.open(encoding="utf-8") as lines:
        tokens = tokenize.generate_tokens(lines.readline)
        first = next(each for each in tokens if each.type not in (tokenize.COMMENT, tokenize.NL))
    return cleandoc(ast.literal_eval(first.string)) if first.type == tokenize.STRING else ""


def run(*words: str) -> None:
    """Run a tool in the project's folder; its output is the message of a failure."""
    ran = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("ruff", "check", "--no-cache"), id="lint"),
        pytest.param(("ruff", "format", "--check", "--no-cache"), id="format"),
        pytest.param(("mypy",), id="types"),
    ],
)
def test_tool(words: tuple[str, ...]) -> None:
    """Ruff and mypy have nothing to say."""
    run(*words)


def test_import_directions() -> None:
    """Imports go down the pipeline only, and libraries are known where they have to be."""
    code = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
    command = [sys.executable, "-c", code, "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "0 broken" in ran.stdout


CIRCLES = [("acdl_mkdocs.language.rules", "acdl_mkdocs.language.rules.unknown_pragma")]
"""The rule about names of rules is one of the rules that it knows the names of."""


def module_of(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_by(path: Path, modules: Collection[str]) -> set[str]:
    """The modules of the package that a file imports anywhere: in a function, or for its types alone too."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(path)}:{node.lineno}: import by the whole name"
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                found.add(inner if inner in modules else node.module or "")
    return (found & set(modules)) - {module_of(path)}


def circles(imports: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """Modules that import each other, by way of others or not."""
    reached: dict[str, set[str]] = {}
    for name in imports:
        waiting, seen = [name], set[str]()
        while waiting:
            new = imports[waiting.pop()] - seen
            seen |= new
            waiting += new
        reached[name] = seen
    found = {tuple(sorted(each for each in seen if name in reached[each])) for name, seen in reached.items()}
    return sorted(found - {()})


def test_circles_are_found() -> None:
    """A module that comes back to itself is in a circle, one that only leads to one is not."""
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [("b", "c")]


def test_no_circles() -> None:
    """No module imports one that imports it, not in a function and not for types: what both name gets a third."""
    modules = {module_of(path): path for path in MODULES}
    assert circles({name: imported_by(path, modules) for name, path in modules.items()}) == CIRCLES


NOT_QUICK = re.compile(
    r"\bsubprocess\b|\bplaywright\b|\bown_site\b|\bsphinx_build\b|\bmkdocs_site\b|\btalk\(|HTTPServer"
)


@pytest.mark.skipif(shutil.which("make") is None, reason="Windows has no make")
def test_quick_tests_are_quick() -> None:
    """Nothing in `make quick` starts a browser, a site or a program; every path of it is there."""
    planned = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "quick"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = [ROOT / each for each in re.findall(r"\btests/[\w/.]+", planned.splitlines()[-1])]
    assert len(paths) > 10
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))]
    assert [name_of(path) for path in paths if not path.exists()] == []
    assert [name_of(file) for file in files if NOT_QUICK.search(file.read_text("utf-8"))] == []


def test_file_sizes() -> None:
    """No file is so long that it has several reasons to change; most are short."""
    assert [f"{name_of(path)}: {n_lines(path)} lines" for path in OURS if n_lines(path) > MAX_LINES] == []
    assert median(n_lines(path) for path in MODULES) <= MAX_MEDIAN_LINES


def is_frozen(kind: type) -> bool:
    """Whether what a class makes cannot be changed."""
    return issubclass(kind, tuple) or kind.__setattr__ is not object.__setattr__


def test_values_between_stages_are_frozen() -> None:
    """No stage changes what another has made; a node equals only itself, so that tables can be keyed by it."""
    constructs = [each for each in vars(nodes).values() if isinstance(each, type) and issubclass(each, nodes.Node)]
    values = (Source, Diagnostic, Parsed, Resolved, Box, Scene)
    assert [each.__name__ for each in (*constructs, *values) if not is_frozen(each)] == []
    assert [each.__name__ for each in constructs if each.__eq__ is not object.__eq__] == []


def test_dataclasses_are_ours() -> None:
    """A frozen class that the standard library makes costs each start half a millisecond; `frozen.py` says more."""
    standard = [
        f"{name_of(path)}:{node.lineno}: take `dataclass` from `acdl_mkdocs.foundation.frozen`"
        for path in MODULES
        if path.name != "frozen.py" and "from dataclasses" in path.read_text("utf-8")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if "dataclass" in [each.name for each in node.names]
    ]
    assert standard == []


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    """All functions and methods of a file."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            yield node


def n_statement_lines(function: ast.FunctionDef) -> int:
    """Lines of the body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_one_match(function: ast.FunctionDef) -> bool:
    """Whether a function is a choice between many kinds, each with a few lines."""
    longest = max((node for node in ast.walk(function) if isinstance(node, ast.Match)), key=_extent, default=None)
    return longest is not None and _extent(longest) > n_statement_lines(function) // 2


def _extent(node: ast.Match) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def test_function_sizes() -> None:
    """Functions of the package fit on a screen; a `match` over all kinds may be longer."""
    long = [
        f"{name_of(path)}: {function.name} has {n_statement_lines(function)} lines"
        for path in MODULES
        for function in functions(path)
        if n_statement_lines(function) > MAX_FUNCTION_LINES and not is_one_match(function)
    ]
    assert long == []


def test_rooms_are_not_towers() -> None:
    """Room, subject, part, file: nothing is deeper."""
    assert [name_of(path) for path in MODULES if len(path.relative_to(PACKAGE).parts) > 4] == []


def test_module_docstrings() -> None:
    """Every module says its one job in a sentence, which ends in its first line."""
    assert [name_of(path) for path in OURS if not re.match(r".*[.:;,)`]$", docstring_of(path), re.MULTILINE)] == []


def test_layout_has_no_numbers() -> None:
    """Distances are the theme's: layout knows 0, 1 and 2."""
    numbers = [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree_of(PACKAGE / "drawing" / "figure" / "layout.py"))
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value not in (0, 1, 2)
    ]
    assert numbers == []


ONE_OF_EACH = {
    "a list of the shapes of secrets": ("AKIA|ghp_", {"foundation/secrets.py"}),
    "a panel of messages that unfolds": ("acdl-pml-panel", {"evaluation/formats/message_html.py"}),
    "an escape for Markdown": (
        r"""&#\{ord\(|replace\(["']\|""",
        {"foundation/markdown.py", "foundation/reports/comment_markdown.py"},
    ),
    "an answer to whether text is safe": (
        r"&#123;\"|\.bidirectional|isprintable\(\) else",
        {"foundation/safe_text.py"},
    ),
    "a comparison of sequences": (
        "SequenceMatcher",
        {"foundation/wording.py", "frontends/editor/formatting.py", "runs/infer/observe.py"},
    ),
    "a validator of JSON Schema": (
        r"""["'](?:minLength|maxItems|minProperties|exclusiveMinimum|uniqueItems|multipleOf|patternProperties)["']""",
        {"foundation/json_schema.py", "playbook/learn/models/json_reply.py", "prompts/pml/check_calls.py"},
    ),
}
"""What only one module does, by words that it cannot do without; the others named report its faults.

`SequenceMatcher` compares the letters of names in `wording.py` and lines of a file in `formatting.py`; words are
`word_diff.py`, which needs none.
"""


@pytest.mark.parametrize("what", ONE_OF_EACH)
def test_one_of_each(what: str) -> None:
    """What the package can do already is not written a second time."""
    pattern, expected = ONE_OF_EACH[what]
    found = {path for path in MODULES if re.search(pattern, path.read_text("utf-8"))}
    assert {path.relative_to(PACKAGE).as_posix() for path in found} == expected


def test_only_the_command_line_prints() -> None:
    """A library is silent."""
    printing = [
        name_of(path)
        for path in MODULES
        if (PACKAGE / "frontends" / "cli") not in path.parents and "print" in path.read_text("utf-8")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []


def test_isinstance_takes_tuples() -> None:
    """Not `isinstance(x, A | B)`: the union is made anew at each call, and is slower to compare with."""
    unions = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance" and isinstance(node.args[1], ast.BinOp)
    ]
    assert unions == []


def test_groups_are_repeated_in_a_way_that_every_python_knows() -> None:
    """No `(?:…)*+`: Python before 3.11.5 matches it wrongly. `(?>(?:…)*)` is the same; `[…]*+` is right everywhere.

    Where there may be many repetitions, `possessive` writes one that keeps no place to return to for each.
    """
    repeated = re.compile(r"[^(]\)(?:[*+?]|\{+\d*,?\d*\}+)\+")
    found = {name_of(path): repeated.findall(path.read_text("utf-8")) for path in MODULES}
    assert {name: groups for name, groups in found.items() if groups} == {}


def test_every_rule_is_listed() -> None:
    """A file of `language/rules/` is a line of `RULES`, and its name is the rule's."""
    paths = (PACKAGE / "language" / "rules").glob("[!_]*.py")
    files = {path.stem.replace("_", "-") for path in paths}
    assert files == set(RULES)
    assert all(rule.__name__ == name.replace("-", "_") for name, rule in RULES.items())


def test_every_command_is_listed() -> None:
    """A module of `cli/` with `add_arguments` and `run` is a line of `COMMANDS` or of the actions of a command."""
    commands = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (PACKAGE / "frontends" / "cli").rglob("*.py")
        if {"add_arguments", "run"} <= {function.name for function in functions(path)}
    }
    assert commands == {*COMMANDS.values(), *ALL_ACTIONS}


def test_every_output_is_listed() -> None:
    """A module of `drawing/formats/` with `write(figure, options)` is a line of `OUTPUTS` or `PICTURES`."""
    writers = {
        path.stem
        for path in (PACKAGE / "drawing" / "formats").glob("*.py")
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef)
        and node.name == "write"
        and [arg.arg for arg in node.args.args][:1] == ["figure"]
    }
    assert {name.removesuffix("_tree") for name in writers} == set(FORMATS)


def test_architecture_page() -> None:
    """The functions to start at and the tests that hold the invariants exist, under the names that the page gives."""
    page = (ROOT / "site_src" / "develop" / "architecture.md").read_text("utf-8")
    start = page.partition("## Where to start")[2].partition("\nimport-linter")[0]
    places = re.findall(r"`([\w/]+\.py)(?:: (\w+))?`", start)
    assert len(places) > 20
    for file, name in places:
        defined = {target for node in tree_of(PACKAGE / file).body for target in defined_names(node)}
        assert {name} - {""} <= defined, file
    assert all((PACKAGE / each).is_dir() for each in re.findall(r"`([\w/]+)/`", start))
    for file, test in re.findall(r"`(test_\w+\.py)(?:: (test_\w+))?`", page):
        paths = sorted((ROOT / "tests").rglob(file))
        assert {test} - {""} <= {function.name for path in paths for function in functions(path)}
        assert paths, file


def defined_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_public_api() -> None:
    """The public functions are exposed once, lazily, and have a heading in the documentation."""
    pages = (ROOT / "site_src" / "reference" / "python").glob("*.md")
    text = "".join(page.read_text("utf-8") for page in pages)
    names = [name for name in acdl_mkdocs.__all__ if not name.startswith("__")]
    assert names == sorted(names)
    for name in names:
        assert getattr(acdl_mkdocs, name).__module__.startswith("acdl_mkdocs.")
        assert text.count(f"::: acdl_mkdocs.{name}\n") == 1
    with pytest.raises(AttributeError):
        _ = acdl_mkdocs.no_such_name


def test_importing_the_package_is_cheap() -> None:
    """`import acdl_mkdocs` imports nothing else of the package."""
    code = "import sys, acdl_mkdocs; print([name for name in sys.modules if name.startswith('acdl_mkdocs.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_grammar_is_compiled() -> None:
    """The table that the package loads is that of the grammar."""
    assert compile_tables(GRAMMAR.read_text("utf-8")) == COMPILED.read_text("utf-8"), "make grammar"


def test_versions_are_one() -> None:
    """Metadata and package say the same version."""
    assert PROJECT["project"]["version"] == acdl_mkdocs.__version__


def entry_points() -> list[tuple[str, str]]:
    """What `pyproject.toml` tells other programs to load."""
    project = PROJECT["project"]
    groups = {"scripts": project["scripts"], **project["entry-points"]}
    return [(f"{group}:{name}", target) for group, points in groups.items() for name, target in points.items()]


@pytest.mark.parametrize(("name", "target"), entry_points())
def test_entry_point(name: str, target: str) -> None:
    """What other programs load exists and can be called."""
    module, _, attribute = target.partition(":")
    assert callable(getattr(import_module(module), attribute)), name


def test_assets_are_packaged() -> None:
    """What the package reads at run time is inside it."""
    assert {"acdl.css", "advances.json", "grammar.json"} <= {path.name for path in (PACKAGE / "assets").iterdir()}
    assert {f"{family}.md" for family in FAMILIES} == {
        path.name for path in (PACKAGE / "assets" / "problems").iterdir()
    }
