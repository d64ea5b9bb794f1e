"""Names, docstrings and comments use the field's words in plain English."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from command_docs import help_text
from refused_words import REFUSED_PHRASES

from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.playbook import ACTIONS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "acdl_mkdocs"
PLAYGROUND = PACKAGE / "assets" / "playground"
STYLE = ROOT / "site_src" / "develop" / "style.md"
"""The page that lists the words, and shows sentences that have them."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted(path for path in (ROOT / "site_src").rglob("*.md") if path != STYLE),
]
SCRIPTS = [
    *sorted((PACKAGE / "assets").glob("*.js")),
    PLAYGROUND / "index.html",
    *sorted((PLAYGROUND / "src").glob("*.ts")),
    ROOT / "editors" / "vscode" / "package.json",
    *sorted((ROOT / "editors" / "vscode" / "src").glob("*.ts")),
]

ONE_WORD_BAR = 20.0
"""Most public functions and methods with a name of one word, in percent."""

PARTICIPLE_BAR = 0.5
"""Most public functions and methods whose name is only a participle, in percent."""

REFUSED_NAMES = {"asked", "heard", "lighten", "mend", "mended", "met", "said", "spoken", "told", "twin"}
"""Words that no function or class has in its name: paraphrases of what the field has a term for."""

CODE_PHRASES = REFUSED_PHRASES | {"told": "reported, shown", "what is sent": "the messages, the prompt sent"}
"""What docstrings and comments do not say; in pages both have a right use, such as an agent that is told something."""

_IRREGULAR = {
    "begun", "bound", "broken", "brought", "built", "caught", "chosen", "done", "drawn", "found", "given", "gone",
    "heard", "held", "hidden", "kept", "known", "laid", "left", "lost", "made", "meant", "met", "put", "said", "seen",
    "sent", "shown", "spent", "spoken", "taken", "taught", "thought", "told", "understood", "written",
}  # fmt: skip
_NO_PARTICIPLES = {"embed", "feed", "need", "proceed", "seed", "speed"}


def test_few_functions_have_one_word_for_a_name() -> None:
    """A name says what a function does and to what."""
    names = _functions()
    one_word = [name for name in names if "_" not in name]
    assert len(one_word) * 100 <= ONE_WORD_BAR * len(names), f"{len(one_word)} of {len(names)} names are one word"


def test_functions_are_verbs_not_participles() -> None:
    """A function is named after what it does, not after what has been done."""
    names = _functions()
    participles = sorted({name for name in names if _is_participle(name)})
    count = sum(_is_participle(name) for name in names)
    assert count * 100 <= PARTICIPLE_BAR * len(names), f"participles: {participles}"


def test_no_name_uses_a_refused_word() -> None:
    """Functions and classes, also private ones, have names that the field knows."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.name}"
        for path, tree, _ in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if set(re.findall(r"[A-Z]?[a-z]+", node.name)) & (REFUSED_NAMES | {word.title() for word in REFUSED_NAMES})
    ]
    assert not found, "\n".join(found)


def test_docstrings_and_comments_are_plain_english() -> None:
    """What a reader of the code reads is what a technical writer would write."""
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {problem}"
        for path, tree, text in _modules()
        if _refused_words(CODE_PHRASES).search(text)
        for line, prose in (*_docstrings(tree), *_comments(text))
        for problem in _refused(prose, CODE_PHRASES)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_are_plain_english(page: Path) -> None:
    """So is what a reader of the site and of the README reads, also in the parts made from code and in its examples."""
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    found = [f"{number}: {problem}" for number, line in lines for problem in _refused(line, REFUSED_PHRASES)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", SCRIPTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_scripts_are_plain_english(page: Path) -> None:
    """And what figures, the playground and the extension for VS Code show: labels, messages and keys."""
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    found = [f"{number}: {problem}" for number, line in lines for problem in _refused(line, REFUSED_PHRASES)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("command", ["", *COMMANDS, *(f"playbook {name}" for name in ACTIONS)])
def test_help_is_plain_english(command: str) -> None:
    """And what the help of a command says."""
    assert [*_refused(" ".join(help_text(command).split()), REFUSED_PHRASES)] == []


def _refused(prose: str, phrases: Mapping[str, str]) -> Iterator[str]:
    """Yield what a text says in words that are refused, outside of code marks."""
    for match in _refused_words(phrases).finditer(re.sub(r"`[^`]*`", "", prose)):
        yield f"{match[0]!r}: write {phrases[match[0].lower()]}"


def _refused_words(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!time )\b(?:{'|'.join(phrases)})\b(?! for\b)", re.IGNORECASE)


def _is_participle(name: str) -> bool:
    return "_" not in name and (name in _IRREGULAR or (name.endswith("ed") and name not in _NO_PARTICIPLES))


@cache
def _modules() -> tuple[tuple[Path, ast.Module, str], ...]:
    paths = sorted(PACKAGE.rglob("*.py"))
    assert len(paths) > 100
    texts = [path.read_text("utf-8") for path in paths]
    return tuple((path, ast.parse(text), text) for path, text in zip(paths, texts, strict=True))


@cache
def _functions() -> list[str]:
    """List public functions and methods, without properties, which are nouns, and without what is inside functions."""
    return [name for _, tree, _ in _modules() for name in _functions_in(tree)]


def _functions_in(node: ast.Module | ast.ClassDef | ast.If | ast.Try) -> Iterator[str]:
    for child in node.body:
        match child:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                is_property = any("property" in ast.unparse(each) for each in child.decorator_list)
                if not is_property and not name.startswith("_"):
                    yield name
            case ast.ClassDef() | ast.If() | ast.Try():
                yield from _functions_in(child)


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return every text that is a statement of its module, class or function, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
