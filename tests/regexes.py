"""Every regular expression of the package, and texts that each may be slow with.

Those of Python are found in the syntax trees of the modules, those of scripts by their slashes, those of TextMate
grammars in their JSON. What a pattern repeats says what to repeat for it: see `attacks`.
"""

import ast
import importlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as kinds
from re import _parser as parser
from typing import Any

from backtracking import REPEATS, SINGLE, Items, character

import acdl_mkdocs
from acdl_mkdocs.foundation.secrets import SHAPES
from acdl_mkdocs.frontends.docs.pages.search_text import BETWEEN_WORDS
from acdl_mkdocs.prompts.pml import scan_calls
from acdl_mkdocs.prompts.providers import PROVIDERS, anthropic, gemini
from acdl_mkdocs.prompts.providers.results import ProviderLimits
from acdl_mkdocs.prompts.providers.sniff import _ADDRESSES

PACKAGE = Path(acdl_mkdocs.__file__).parent
ROOT = PACKAGE.parent
SCRIPTS = sorted(
    path
    for folder in (PACKAGE / "assets", ROOT / "editors" / "vscode")
    for path in folder.rglob("*")
    if path.suffix in {".js", ".mjs", ".ts"} and not {"node_modules", "test", "dist"} & set(path.parts)
)
GRAMMARS = sorted((PACKAGE / "assets").glob("*.tmLanguage.json"))
_METHODS = frozenset(("search", "match", "fullmatch", "sub", "subn", "split", "finditer", "findall"))
_FLAGS_THIRD = frozenset(("search", "match", "fullmatch", "finditer", "findall"))
_MAY_USE = re.compile(rf"\bre\.|compile_later\(|\.(?:{'|'.join(sorted(_METHODS))})\(")
_MANY = 50
"""A part that may be repeated so often is tried."""
_MOST_ATTACKS = 80
"""Of those of a long pattern, every second or third is tried."""
_CHARACTERS = "aA1 -_.\"'\\/<[({:=,\n\t#@$`~*|!?+;&>)]}%^é„∈…—①中\u0301\u2028\x00"


TABLES = {
    "language/syntax/keywords.py": ("match",),
    "language/syntax/foreign.py": ("match",),
    "frontends/docs/pages/markdown_copy.py": ("fullmatch",),
}
"""What is called on the patterns in tables and other values of a module."""
_WANTS = [ProviderLimits(""), anthropic.PROVIDER_LIMITS, gemini.PROVIDER_LIMITS]
MADE: dict[tuple[str, str], Iterable[str]] = {
    ("foundation/compile_later.py", "self._text"): (),  # whoever calls it is found
    ("playbook/model/content.py", "pattern"): SHAPES.values(),
    ("prompts/pml/scan_calls.py", "closing"): ("/&gt;|&lt;/call&gt;|/>", "/>|</word>", "</word>"),
    ("prompts/pml/scan_calls.py", "_value_pattern(quote, is_lenient)"): [
        each.pattern for each in scan_calls._VALUES.values()
    ],
    (
        "foundation/redact_text.py",
        "'|'.join((f'(?:{pattern})' for pattern in patterns))",
    ): (),  # the shapes, one beside the other
    ("frontends/docs/pages/search_text.py", "between"): (
        BETWEEN_WORDS,
    ),  # a site may set another one, for its own words
    ("runs/infer/values.py", "_TIME"): (),  # is compiled where it is defined
    ("prompts/providers/client_request.py", "end"): [end for wire in PROVIDERS.values() for end in wire.paths],
    ("prompts/providers/sniff.py", "end"): _ADDRESSES,
    ("prompts/providers/pair_calls.py", "self.limits.id_pattern"): [each.id_pattern for each in _WANTS],
    ("prompts/providers/adapt_prompt.py", "limits.tool_pattern"): [each.tool_pattern for each in _WANTS],
}
"""What is only known at run time: the patterns that it can be."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, and where it is."""

    file: str
    name: str
    """Of the constant, or the beginning of the pattern."""
    text: str
    flags: int = 0
    methods: frozenset[str] = frozenset()
    """What is called on it; empty where that is not seen, as for one in a table."""


def patterns() -> list[Pattern]:
    """All of them."""
    return [*of_modules(), *of_scripts(), *of_grammars()]


def of_modules() -> Iterator[Pattern]:
    """Those of Python; a part that is only known at run time is a word."""
    uses: dict[str, set[str]] = defaultdict(set)
    for path, calls in [(path, _read(path, uses)) for path in sorted(PACKAGE.rglob("*.py"))]:
        values = vars(importlib.import_module(_module(path))) if calls else {}
        for call, name in calls:
            method = call.func.attr if isinstance(call.func, ast.Attribute) else "compile"
            text = text_of(call.args[0], values)
            flags = sum(int(_evaluated(each, values) or 0) for each in _flags(call, method))
            file = path.relative_to(PACKAGE).as_posix()
            called = (uses[_key(path, name)] if name else ()) or TABLES.get(file, ())
            methods = frozenset(called if method == "compile" else (method,))
            if text is not None:
                yield Pattern(file, name or text[:40], text, flags, methods)
            else:
                made = ast.unparse(call.args[0])
                yield from (Pattern(file, made, each, flags, methods) for each in MADE[file, made])


def _module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def text_of(node: ast.expr, values: dict[str, Any]) -> str | None:
    """The pattern that an expression makes, or nothing if all of it is only known at run time."""
    text = _evaluated(node, values)
    if isinstance(text, bytes):
        return text.decode("latin-1")
    if isinstance(text, str):
        return text
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(each, values) for each in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left, values), text_of(node.right, values)
        return None if left is None and right is None else (left or "word") + (right or "word")
    return None


def _piece(node: ast.expr, values: dict[str, Any]) -> str:
    """A part of a text with values in it; one that is not known is a number where it says how often, else a word."""
    text = _evaluated(ast.JoinedStr([node]), values)
    if text is not None:
        return str(text)
    return "3" if "len(" in ast.unparse(node) or "longest" in ast.unparse(node) else "word"


def _evaluated(node: ast.expr, values: dict[str, Any]) -> Any:
    try:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), dict(values))  # noqa: S307 - the package's own
    except (NameError, AttributeError, TypeError):
        return None


def _flags(call: ast.Call, method: str) -> list[ast.expr]:
    at = 1 if method == "compile" else 2
    placed = call.args[at : at + 1] if method == "compile" or method in _FLAGS_THIRD else []
    return [*placed, *(each.value for each in call.keywords if each.arg == "flags")]


def _read(path: Path, uses: dict[str, set[str]]) -> list[tuple[ast.Call, str]]:
    """The calls of a module that are given a pattern, with the constants that they make; what is called on names."""
    text = path.read_text("utf-8")
    if not _MAY_USE.search(text):
        return []
    names, calls = {}, []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            names[id(node.value)] = target.id if isinstance(target, ast.Name) else ""
        elif isinstance(node, ast.Attribute) and node.attr in _METHODS:
            name = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            uses[_key(path, name)].add(node.attr)
        elif isinstance(node, ast.Call) and node.args and _is_given_pattern(node.func):
            calls.append(node)
    return [(call, names.get(id(call), "")) for call in calls]


def _is_given_pattern(func: ast.expr) -> bool:
    if isinstance(func, ast.Name):
        return func.id == "compile_later"
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    return func.value.id == "re" and func.attr in {"compile", *_METHODS}


def _key(path: Path, name: str) -> str:
    return f"{path}:{name}" if name.startswith("_") else name


_LITERAL = re.compile(
    r"""(?://[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?:(?<=[(,=:&|?!{};\[])|(?<=return)|(?<=^))\s*/(?P<text>(?![*/])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\[\n]|\\.)+)/(?P<flags>[a-z]*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def of_scripts() -> Iterator[Pattern]:
    """Those of JavaScript and TypeScript, as Python writes them."""
    for path in SCRIPTS:
        for found in _LITERAL.finditer(path.read_text("utf-8")):
            if found["text"]:
                flags = sum(getattr(re, each.upper()) for each in found["flags"] if each in "ims")
                methods = frozenset() if "g" in found["flags"] else frozenset(("search",))
                yield Pattern(
                    path.relative_to(ROOT).as_posix(), found["text"][:40], as_python(found["text"]), flags, methods
                )


_PROPERTIES = {
    "Lu": "A-ZÀ-Þ",
    "L": "A-Za-zª-ʯ一-鿿",
    "M": "\u0300-\u036f",
    "N": "0-9",
    "Nl": "Ⅰ-ↂ",
    "Nd": "0-9",
    "Ll": "a-zß-ÿ",
    "Lt": "ǅǈǋ",
}
_OTHER_SPELLINGS = re.compile(
    r"\\p\{(?P<property>\w+)\}|\\[ux]\{(?P<code>[0-9a-f]+)\}|\\(?P<sign>[/`])|(?P<self>\\g<\w+>)|\[\^\]|\(\?<(?=\w)|\\.",
    re.DOTALL,
)
_IN_PYTHON = {"\\G": r"\A", "\\z": r"\Z", "\\h": "[0-9A-Fa-f]", "(?<": "(?P<", "[^]": r"[\s\S]"}


def as_python(text: str) -> str:
    """A pattern of JavaScript or of Oniguruma with Python's spellings.

    Letters of few alphabets stand for all, and a group that contains itself does not.
    """

    def spelled(found: re.Match[str]) -> str:
        if found["property"]:
            return _PROPERTIES[found["property"]]
        if found["code"]:
            return f"\\U{found['code']:>08}"
        return "(?!)" if found["self"] else found["sign"] or _IN_PYTHON.get(found[0], found[0])

    return _OTHER_SPELLINGS.sub(spelled, text)


def of_grammars() -> Iterator[Pattern]:
    """Those of TextMate grammars, which are matched with one line at a time, from each place."""
    for path in GRAMMARS:
        for text in _rules(json.loads(path.read_text("utf-8"))):
            yield Pattern(path.relative_to(ROOT).as_posix(), text[:40], as_python(text), 0, frozenset(("search",)))


def _rules(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (each for key, each in value.items() if key in {"match", "begin"} and isinstance(each, str))
        ends = (each for key, each in value.items() if key in {"end", "while"} and isinstance(each, str))
        yield from (re.sub(r"\\\d", "word", each) for each in ends)  # what a group of the beginning has found
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _rules(each)


def attacks(pattern: Pattern) -> list[tuple[str, str]]:
    """What to begin with, and what to repeat.

    Repeated are texts that fit a part that may be repeated, with and without all or the last of what comes before that
    part; what comes before it; and whole matches that are not finished. A character of each sort that the pattern tells
    apart is tried.
    """
    tree = parser.parse(pattern.text, pattern.flags)
    samples = Samples(tree, tree.state.flags)
    found = list(samples.repeated())
    if not found:
        return []
    for whole in samples.of(tree, 3):
        found += (("", cut) for cut in (whole, whole[:-1], whole[: len(whole) // 2]))
    tried = list(dict.fromkeys((begin, piece) for begin, piece in found if piece))
    return tried[:: len(tried) // _MOST_ATTACKS + 1]


class Samples:
    """Texts that fit parts of a pattern."""

    def __init__(self, tree: Items, flags: int) -> None:
        self._tree, self._flags = tree, flags
        self.sorts = self._sorts()

    def _sorts(self) -> str:
        """One character of each sort that the pattern tells apart."""
        singles = list(_singles(self._tree, self._flags))
        named = "".join(chr(code) for kind, value, _ in singles for code in _codes(kind, value))
        tests = list(dict.fromkeys(character(*each) for each in singles))
        sorts: dict[tuple[bool, ...], str] = {}
        for each in dict.fromkeys(_CHARACTERS + named):
            sorts.setdefault(tuple(test(each) for test in tests), each)
        return "".join(sorts.values())

    def repeated(self) -> Iterator[tuple[str, str]]:
        """For each part that may be repeated, what comes before it, and what to repeat."""
        yield from self._repeated(self._tree, "", self._flags)

    def _repeated(self, items: Any, before: str, flags: int) -> Iterator[tuple[str, str]]:
        for at, (kind, value) in enumerate(items):
            begun = before + self.of(items[:at], 1, flags)[0]
            last = self.of(items[at - 1 : at], 1, flags)[0] if at else ""
            if kind in REPEATS and (value[1] is kinds.MAXREPEAT or value[1] > _MANY):
                for piece in self.of(value[2], 3, flags):
                    yield from ((begun, piece), ("", piece), ("", begun + piece), ("", begun), ("", last + piece))
            for part, changed in _parts(kind, value, flags):
                yield from self._repeated(part, begun, changed)

    def of(self, items: Items, n_most: int, flags: int | None = None) -> list[str]:
        """Some texts that fit some elements."""
        flags = self._flags if flags is None else flags
        found = [""]
        for kind, value in items:
            fitting = self._fitting(kind, value, flags, n_most)
            found = list(dict.fromkeys(one + two for one in found for two in fitting))[: n_most * 2]
        return found

    def _fitting(self, kind: Any, value: Any, flags: int, n_most: int) -> list[str]:
        if kind in SINGLE:
            does_fit = character(kind, value, flags)
            return [each for each in self.sorts if does_fit(each)][:n_most] or ["a"]
        if kind in REPEATS:
            pieces = self.of(value[2], n_most, flags)
            return ["", *pieces][:n_most] if value[0] == 0 else [piece * value[0] for piece in pieces]
        if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            return [""]
        n_each = 1 if kind is kinds.BRANCH else n_most
        found = [each for part, changed in _parts(kind, value, flags) for each in self.of(part, n_each, changed)]
        return found[: max(n_most, 4)] or [""]


def _parts(kind: Any, value: Any, flags: int) -> list[tuple[Any, int]]:
    """The patterns in an element of a pattern, and their flags."""
    if kind in REPEATS:
        return [(value[2], flags)]
    if kind is kinds.BRANCH:
        return [(each, flags) for each in value[1]]
    if kind is kinds.SUBPATTERN:
        return [(value[3], (flags | value[1]) & ~value[2])]
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [(value[1], flags)]
    if kind is kinds.GROUPREF_EXISTS:
        return [(each, flags) for each in value[1:] if each is not None]
    return [(value, flags)] if kind is kinds.ATOMIC_GROUP else []


def _singles(items: Items, flags: int) -> Iterator[tuple[Any, Any, int]]:
    for kind, value in items:
        if kind in SINGLE:
            yield kind, value, flags
        for part, changed in _parts(kind, value, flags):
            yield from _singles(part, changed)


def _codes(kind: Any, value: Any) -> Iterator[int]:
    """Characters that an element names."""
    if kind in (kinds.LITERAL, kinds.NOT_LITERAL):
        yield value
    for of, each in value if kind is kinds.IN else ():
        if of is kinds.LITERAL:
            yield each
        elif of is kinds.RANGE:
            yield from each
