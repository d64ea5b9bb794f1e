"""The words that texts use: variables, templates, functions, fields, fragments with their headers.

Found without a parser, so that a text in the middle of an edit has them too, and cached by text: of a thousand
documents only the one that changed is read again. Knows nothing of positions or of what is correct.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.keywords import DOCUMENTED_WORDS, STATEMENT_WORDS
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.language.syntax.tokens import ROLES, is_all_caps

_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"", re.DOTALL)
_INDEX = r"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]"
_PATH = re.compile(rf"(?<![\w.@$])(\$?[^\W\d]\w*)((?:{_INDEX})?(?:\.\w+(?:{_INDEX})?)+)")
_PART = re.compile(rf"\.(?P<field>\w+)|(?P<index>{_INDEX})")
_NAME_OR_CALL = re.compile(r"(?<![\w.@$])([^\W\d]\w*)(\s*\()?")
_FRAGMENT = re.compile(
    r"^[ \t]*(?P<keyword>StrFrag|RolesFrag|RoleFrag)[ \t]+(?P<name>[^\W\d]\w*)[ \t]*(?:\[(?P<parameters>[^\]\n]*)\])?",
    re.MULTILINE,
)
_COMPARED = re.compile(r"(?:[!=]=|\bCase\b)[ \t]*([^\W\d]\w*)(?![\w.\[(])")
_N_TEXTS = 4096
_BUILT_IN = frozenset(("range", "max", "min"))
_NO_FUNCTION = frozenset((*STATEMENT_WORDS, *ROLES, "and", "or", "not", "in", "frag", "namespace", "every"))


@dataclass(frozen=True, slots=True)
class FragmentHeader:
    """The header of a fragment, as far as it is written."""

    name: str
    keyword: str
    parameters: tuple[str, ...]
    start: int
    """The offset of its beginning."""
    about: str
    """The comment directly above it."""

    @property
    def header(self) -> str:
        """The header in normal form."""
        return f"{self.keyword} {self.signature}"

    @property
    def signature(self) -> str:
        """The name with the parameters."""
        return f"{self.name}[{', '.join(self.parameters)}]" if self.parameters else self.name


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one text."""

    fields: dict[tuple[str, ...], Counter[str]]
    """For every dotted path such as `("env", "question")`, the brackets after it, and how often."""
    templates: Counter[str]
    functions: Counter[str]
    compared: Counter[str]
    """Words that something is compared with."""
    fragments: tuple[FragmentHeader, ...]

    def list_fields_after(self, path: tuple[str, ...]) -> Iterator[tuple[str, Counter[str]]]:
        """Yield the fields that are written after a path, with the brackets after them."""
        for each, indices in self.fields.items():
            if len(each) == len(path) + 1 and each[:-1] == path:
                yield each[-1], indices


@lru_cache(maxsize=_N_TEXTS)
def collect_vocabulary(text: str) -> Vocabulary:
    """Return the words of a text, valid or not."""
    plain = _COMMENT_OR_STRING.sub(lambda match: " " * (match.end() - match.start()), text)
    templates: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    for name, bracket in _NAME_OR_CALL.findall(plain):
        if is_all_caps(name):
            templates[name] += 1
        elif bracket and name not in _BUILT_IN and name not in NAMESPACES and name.lower() not in _NO_FUNCTION:
            functions[name] += 1
    compared = Counter(each for each in _COMPARED.findall(plain) if not is_all_caps(each))
    return Vocabulary(_collect_fields(plain), templates, functions, compared, tuple(_find_fragment_headers(text)))


def _collect_fields(plain: str) -> dict[tuple[str, ...], Counter[str]]:
    fields: dict[tuple[str, ...], Counter[str]] = {}
    for head, rest in _PATH.findall(plain):
        if head in DOCUMENTED_WORDS:
            continue
        path: tuple[str, ...] = (head,)
        is_named = True
        for part in _PART.finditer(rest):
            if part["field"]:
                path = (*path, part["field"])
                fields.setdefault(path, Counter())
                is_named = True
            elif is_named and len(path) > 1:
                index = part["index"][1:-1].strip()
                fields[path].update([index] if index else [])
                is_named = False
    return fields


def _find_fragment_headers(text: str) -> Iterator[FragmentHeader]:
    for match in _FRAGMENT.finditer(text):
        parameter_text = match["parameters"] or ""
        parameters = tuple(word for each in parameter_text.split(",") if (word := " ".join(each.split())))
        keyword = "RolesFrag" if match["keyword"] == "RoleFrag" else match["keyword"]
        yield FragmentHeader(match["name"], keyword, parameters, match.start(), comment_above(text, match.start()))


def comment_above(text: str, start: int) -> str:
    """Return the lines of comments directly above a line."""
    lines: list[str] = []
    at = start
    while at > 0:
        before = text.rfind("\n", 0, at - 1) + 1
        line = text[before : at - 1].strip()
        if not line.startswith("//") or line.removeprefix("//").strip().startswith("acdl:"):
            break
        lines.append(line.lstrip("/").strip())
        at = before
    return "\n".join(reversed(lines))
