"""Patterns that are compiled when they are needed: each can be compiled, and few are needed for a figure."""

import copy
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import acdl_mkdocs
from acdl_mkdocs.foundation.compile_later import _LazyPattern, compile_later

_USES = re.compile(r"^from acdl_mkdocs\.foundation\.compile_later import", re.MULTILINE)
_COUNT = """
import re, sys
from acdl_mkdocs import render
from acdl_mkdocs.foundation import compile_later

compiled = set()
real = re.compile
def noted(pattern, flags=0):
    if sys._getframe(1).f_code.co_filename == compile_later.__file__:
        compiled.add(pattern)
    return real(pattern, flags)
re.compile = noted
render("Chat[@T]: { U: env.question[@T] }")
print(*compiled, sep="\\n")
"""
"""A program that draws a figure and prints the patterns that were compiled later."""


def _users() -> list[str]:
    """The modules that have such patterns."""
    root = Path(acdl_mkdocs.__path__[0]).parent
    names = [each.name for each in pkgutil.walk_packages(acdl_mkdocs.__path__, "acdl_mkdocs.")]
    paths = {name: root.joinpath(*name.split(".")).with_suffix(".py") for name in names}
    return [name for name, path in paths.items() if path.is_file() and _USES.search(path.read_text("utf-8"))]


def _inside(value: object) -> Iterator[_LazyPattern]:
    """Every such pattern in a value of a module."""
    if isinstance(value, _LazyPattern):
        yield value
    elif isinstance(value, dict | tuple | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _inside(each)


def _of(name: str) -> list[_LazyPattern]:
    """Every such pattern of a module."""
    return [each for value in vars(import_module(name)).values() for each in _inside(value)]


@pytest.mark.parametrize("name", _users())
def test_every_pattern_is_one(name: str) -> None:
    """What is compiled later can be compiled."""
    assert _of(name)
    for each in _of(name):
        assert re.compile(each._text, each._flags).pattern == each._text


def test_it_behaves_as_a_pattern() -> None:
    """What is asked of it is what the pattern says, the first time and later."""
    pattern = compile_later(r"(?P<word>\w+)|(?P<sign>[!?])", re.ASCII)
    for _ in range(2):
        found = pattern.fullmatch("word")
        assert found
        assert found["word"] == "word"
        assert pattern.findall("a b!") == [("a", ""), ("b", ""), ("", "!")]
        assert pattern.sub("x", "a b") == "x x"
        assert pattern.groupindex == {"word": 1, "sign": 2}
        assert pattern.flags == re.ASCII
    assert repr(compile_later("a")) == "compile_later('a', 0)"


def test_what_is_wrong_is_told_when_it_is_asked() -> None:
    """A pattern that is none fails where it is used, and what no pattern has is missing."""
    broken = compile_later("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.match("")
    with pytest.raises(AttributeError, match="fits"):
        getattr(compile_later("a"), "fits")  # noqa: B009  # as a name that was mistyped


def test_copies() -> None:
    """A copy is asked the same, whether or not it was compiled."""
    pattern = compile_later("[a-c]+")
    for _ in range(2):
        pickled = pickle.loads(pickle.dumps(pattern))  # noqa: S301  # its own bytes
        for each in (copy.copy(pattern), copy.deepcopy(pattern), pickled):
            assert each.findall("abxc") == ["ab", "c"]
        assert pattern.search("xb")


def test_few_are_needed_for_a_figure() -> None:
    """Drawing a figure compiles less than a third of the patterns that the modules of the language have."""
    done = subprocess.run([sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True)
    all_of_them = [each for name in _users() if name.startswith("acdl_mkdocs.language.syntax.") for each in _of(name)]
    assert 0 < len(done.stdout.splitlines()) < len(all_of_them) / 3
