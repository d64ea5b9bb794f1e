"""The look of a spec, in words and nesting: tree to boxes.

Only this module knows how ACDL is drawn. It knows no geometry and no file format.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import TypeAlias, assert_never

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.host_text import is_remark
from acdl_mkdocs.language.syntax.nodes import (
    ROLE_WORDS,
    Arm,
    Break,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Continue,
    Declaration,
    EndsHere,
    Expression,
    File,
    ForEach,
    Fragment,
    Group,
    HostLine,
    If,
    Label,
    Mark,
    NameDef,
    Node,
    Number,
    Prompt,
    RoleMessage,
    Skipped,
    Statement,
    Switch,
)
from acdl_mkdocs.language.syntax.pragmas import is_for_tools, read_settings
from acdl_mkdocs.language.syntax.words import Notation, Pill, Run, Words, format_variable, text_of, words_of


@lru_cache(maxsize=1)
def number_marks(file: File) -> dict[Mark, int]:
    """Number every `Mark` without a number with the next number not used in its spec, fragment or snippet.

    Those of the last text are cached: its marks are drawn one after the other.
    """
    marks: dict[Node | None, list[Mark]] = {}
    for position in find_positions(file):
        if isinstance(position.node, Mark):
            marks.setdefault(position.definition, []).append(position.node)
    numbers: dict[Mark, int] = {}
    for group in marks.values():
        free = _free_numbers(group)
        numbers |= {mark: next(free) for mark in group if mark.number is None}
    return numbers


def _free_numbers(marks: list[Mark]) -> Iterator[int]:
    numbers = [mark.number for mark in marks]
    written = {int(each.text) for each in numbers if isinstance(each, Number) and each.text.isdecimal()}
    return (number for number in count(1) if number not in written)


_Item: TypeAlias = Statement | Arm

_KEYWORDS = {"if": "If", "elseif": "ElseIf", "else": "Else", "case": "Case", "default": "Default"}
_LONGEST_EXCERPT = 60


@dataclass(frozen=True, slots=True)
class View:
    """Options for what a figure shows of a text."""

    spec: str = ""
    """Show only the definition of this name; empty for all of them."""
    comments: bool = True
    """Whether comments are drawn."""
    header: bool = False
    """Whether the comments outside definitions are drawn too."""
    range: RangeMode = "half-open"
    """How `range(a, b)` is read unless the text contains `// acdl: range=...`; an excluded end is marked."""


def describe(resolved: Resolved, view: View | None = None) -> Box:
    """Describe a text as a figure: its definitions, or all statements of a snippet.

    Raises:
        UnknownSpecError: `view.spec` names no definition of the text.
    """
    view = view or View()
    file = resolved.parsed.file
    mode = read_settings(file).get("range", view.range)
    run = _Describer(file, view, Notation(is_drawn=True, marks_open_end=mode == "half-open"))
    if view.spec:
        entries = resolved.definitions.get(view.spec)
        if not entries:
            raise UnknownSpecError(f"no spec named `{view.spec}` in {resolved.source.name}")
        statements: tuple[Statement, ...] = (entries[0].node,)
    else:
        nested = (entry.node for entries in resolved.definitions.values() for entry in entries)
        statements = _select_statements(file.items, nested, is_snippet=file.is_snippet, view=view)
    with system.pause_collector():
        return Box("figure", children=run.build_boxes(statements, ""), span=file.span)


def _select_statements(
    items: tuple[Statement, ...], definitions: Iterable[Prompt | Fragment], *, is_snippet: bool, view: View
) -> tuple[Statement, ...]:
    """Return the top-level statements of a figure; fragments written inside a spec come after it."""
    at_top = set(map(id, items))
    last_first = sorted(definitions, key=lambda node: node.span.start, reverse=True)
    nested = [node for node in last_first if id(node) not in at_top]
    statements: list[Statement] = []
    for item in items:
        if not isinstance(item, Comment) or is_snippet or view.header:
            statements.append(item)
        while nested and nested[-1].span.start < item.span.end:
            statements.append(nested.pop())
    return tuple(statements)


class _Describer:
    """The notation of this figure and the anchors given so far."""

    def __init__(self, file: File, view: View, notation: Notation) -> None:
        self.file = file
        self.view = view
        self.notation = notation
        self.anchors: set[str] = set()
        self.numbers: dict[str, Iterator[int]] = {}
        """For each name that was wanted again, the numbers that were not tried yet."""

    def build_boxes(self, items: Iterable[_Item], path: str) -> tuple[Box, ...]:
        """Build the boxes of statements; one call per level of nesting."""
        boxes: list[Box] = []
        for item in _without_ifs(items):
            if isinstance(item, Comment):
                if self.view.comments and not is_for_tools(item):
                    boxes.append(Box("comment", (Run("// " + item.text, "comment"),), span=item.span))
                continue
            if isinstance(item, HostLine) and is_remark(item.text):
                continue  # it adds nothing
            if isinstance(item, Declaration) or (path and isinstance(item, (Prompt, Fragment))):
                continue  # declarations are not drawn; nested definitions are shown after their spec
            kind, header, name = self.describe_head(item)
            anchor = self.make_anchor(item, path, name) if name else ""
            inner = item.arms if isinstance(item, Switch) else getattr(item, "body", ())
            beside = getattr(item, "comment", None)
            comment = beside.text if beside is not None and self.view.comments else ""
            children = self.build_boxes(inner, anchor or path or "snippet") if inner else ()
            boxes.append(Box(kind, header, children, comment, anchor, item.span))
        return tuple(boxes)

    def make_anchor(self, item: _Item, path: str, name: str) -> str:
        """Return a name for the construct, unique in its figure, made of its position, kind and subject."""
        if isinstance(item, Mark):
            path = path.split("-")[0]  # marks are numbered across a spec
        wanted = anchor = f"{path}-{name}" if path else name
        while anchor in self.anchors:
            anchor = f"{wanted}-{next(self.numbers.setdefault(wanted, count(2)))}"
        self.anchors.add(anchor)
        return anchor

    def describe_head(self, item: _Item) -> tuple[str, Words, str]:  # noqa: C901  # one short case a construct
        """Return kind and header of the box of a statement, and the word for its anchor (empty: no anchor)."""
        match item:
            case Prompt():
                title = (*self.title_words(item), Run(":", "plain"))
                return "prompt", title, item.name.name
            case Fragment():
                return f"{item.kind}-fragment", self.title_words(item), item.name.name
            case RoleMessage():
                return f"role.{item.role}", (Run(f"Role: {ROLE_WORDS[item.role]}", "role"),), item.role
            case ForEach():
                return "foreach", self.loop_words(item), f"foreach-{item.variable.name if item.variable else 'broken'}"
            case Arm():
                return item.kind, self.keyword_words(_KEYWORDS[item.kind], item.test), item.kind
            case Switch():
                return "switch", self.keyword_words("Switch", item.subject), "switch"
            case Mark():
                number = self.expression_words(item.number) or (Run(str(number_marks(self.file)[item]), "number"),)
                return "mark", number, f"mark-{_make_slug(number)}"
            case Label():
                return (
                    "label",
                    self.expression_words(item.title),
                    f"group-{_make_slug(self.expression_words(item.title))}",
                )
            case NameDef():
                return "name", self.name_words(item), f"name-{getattr(item.targets[0], 'name', 'broken')}"
            case EndsHere():
                when = (
                    Run("PromptEndsHere when ", "keyword"),
                    *self.expression_words(_drop_parentheses(item.condition)),
                )
                return "ends-here", when if item.condition else (Run("PromptEndsHere", "keyword"),), "ends"
            case Content():
                return "content", self.expression_words(item.value), ""
            case Break():
                return "break", (Run("break", "keyword"),), ""
            case Continue():
                return "continue", (Run("continue", "keyword"),), ""
            case HostLine():
                return "host-line", (Run(_cut_text(item.text), "plain"),), ""
            case Skipped():
                return "skipped", (Run(_cut_text(item.text), "plain"),), ""
            case Broken() | BrokenBlock():
                return "broken", (Run(_cut_text(item.text), "plain"),), ""
            case If() | Comment() | Declaration():
                raise TypeError("drawn by `build_boxes`")
            case _:
                assert_never(item)

    def expression_words(self, value: Expression | None) -> Words:
        return words_of(value, self.notation) if value is not None else ()

    def title_words(self, item: Prompt | Fragment) -> Words:
        name = Run(item.name.name, "title" if isinstance(item, Prompt) else "fragment-title")
        if not item.parameters:
            return (name,)
        inside: list[str] = []
        for parameter in item.parameters:
            inside.append(text_of(self.expression_words(parameter)))
        return (name, Run(f"[{', '.join(inside)}]", "index"))

    def loop_words(self, item: ForEach) -> Words:
        if item.variable is None:
            return (Run("ForEach ", "keyword"), Run("…", "plain"))
        name = format_variable(item.variable)
        variable = Run(name, "index" if name.startswith("@") else "path")
        return (Run("ForEach ", "keyword"), variable, Run(" : ", "plain"), *self.expression_words(item.iterable))

    def keyword_words(self, keyword: str, value: Expression | None) -> Words:
        if value is None:
            return (Run(keyword, "keyword"),)
        return (Run(keyword + " ", "keyword"), *self.expression_words(value))

    def name_words(self, item: NameDef) -> Words:
        targets: list[Run | Pill] = []
        for target in item.targets:
            targets += [Run(", ", "plain")] if targets else []
            targets.append(Run(text_of(self.expression_words(target)), "reference"))
        return (Run("Name ", "keyword"), *targets, Run(" := ", "plain"), *self.expression_words(item.value))


def _without_ifs(items: Iterable[_Item]) -> Iterable[_Item]:
    """Yield the arms of each `If` as separate statements, as they are drawn."""
    for item in items:
        if isinstance(item, If):
            yield from item.arms
        else:
            yield item


def _drop_parentheses(condition: Expression | None) -> Expression | None:
    """Return the condition of `PromptEndsHere when (c)` without its parentheses."""
    return condition.value if isinstance(condition, Group) else condition


def _make_slug(words: Words) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in text_of(words)).strip("-").lower() or "x"


def _cut_text(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_EXCERPT else line[: _LONGEST_EXCERPT - 1] + "…"
