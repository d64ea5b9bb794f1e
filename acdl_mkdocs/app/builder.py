"""Build specs in a program: parts as Python values, expressions in ACDL, no positions in a text.

`build` returns a `Spec`: the same text, figure, problems and messages as one that was written by hand. Its problems
name the part, such as `Chat.body[0]`, since there is no file to point into. `parts_of` takes a spec apart.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import TypeAlias

from acdl_mkdocs.app.python import Problem, Spec, Text, make_problem, read_spec
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import BuildError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.nodes import (
    Broken,
    BrokenBlock,
    Comment,
    Fragment,
    HostLine,
    If,
    Node,
    Prompt,
    RoleMessage,
    Switch,
)
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.printer import CONTINUES, Item, print_head
from acdl_mkdocs.language.syntax.words import quote_string

_ARMS = {"ElseIf": "If x { } {}", "Else": "If x { } {}", "Case": "Switch x { {} }", "Default": "Switch x { {} }"}
"""Parts that belong to another part, and the text that they are parsed in."""
_LINE_END = re.compile(r"\r\n?|\n")
"""The ends of lines, also those that a text only has once it is read from a file."""


@dataclass(frozen=True, slots=True)
class Part:
    """A statement: a line, or a block with a body. The functions of this module make them.

    Raises:
        BuildError: The head is not one statement of ACDL.
    """

    head: str
    """In ACDL, up to the braces: `U:`, `ForEach(t: range(1, @T))`, `env.question[@T]`."""
    body: "tuple[Part, ...] | None" = None
    """The contents of the braces; `None` without braces."""
    note: str = ""
    """A comment beside it."""
    then: "tuple[Part, ...]" = ()
    """The parts that belong to an `If`: its `ElseIf` and `Else`, and comments between them."""
    is_line: bool = False
    """Whether a message is written on one line, without braces."""

    def __post_init__(self) -> None:
        _check_head(self)

    def elif_(self, condition: str, *body: "Part | str") -> "Part":
        """Return the `If` with an `ElseIf` added.

        Parameters:
            condition: In ACDL, such as `@T > 1`.
            body: Its content, in order: parts or expressions.
        """
        return dataclasses.replace(self, then=(*self.then, Part(f"ElseIf {condition}", _parts(body))))

    def else_(self, *body: "Part | str") -> "Part":
        """Return the `If` with its `Else` added.

        Parameters:
            body: Its content, in order: parts or expressions.
        """
        return dataclasses.replace(self, then=(*self.then, Part("Else", _parts(body))))

    def noted(self, note: str) -> "Part":
        """Return the same part with a comment beside it.

        Parameters:
            note: The words, without `//`.
        """
        return dataclasses.replace(self, note=note)


Body: TypeAlias = Part | str
"""An element of a block: a part, or an expression, which is content."""


@dataclasses.dataclass(frozen=True)
class BuiltProblem(Problem):
    """A problem of a built spec: it has a path instead of a position."""

    path: str = ""
    """The part in Python notation: `Chat.body[1].body[0]`; the name is that of the definition."""

    def __str__(self) -> str:
        """Return `path: severity[rule]: message`."""
        return f"{self.path}: {self.severity}[{self.rule}]: {self.message}"


@dataclasses.dataclass(frozen=True)
class BuiltSpec(Spec):
    """A spec that was built from parts."""

    parts: tuple[Part, ...] = ()
    """The definitions or statements that it was built from, in order."""

    def problem_of(self, diagnostic: Diagnostic, source: Source) -> Problem:
        """Give a diagnostic of this spec the path of its part; one of a state keeps its position.

        Parameters:
            diagnostic: The diagnostic.
            source: The text that it is about: this spec, a fragment or a state.
        """
        if source is not self.source:
            return make_problem(diagnostic, source)
        values = {field.name: getattr(diagnostic, field.name) for field in dataclasses.fields(Diagnostic)}
        return BuiltProblem(**values, source=source, path=_path_at(self, diagnostic.label.span.start))

    def __repr__(self) -> str:
        return super().__repr__().replace("<Spec", "<BuiltSpec", 1)


def build(*parts: Part, config: Config | None = None) -> BuiltSpec:
    """Make a spec from definitions with comments between them, or from the statements of a spec without a title.

    Its problems are in `BuiltSpec.check()`, as for every spec.

    Parameters:
        parts: The definitions or statements, in order.
        config: How it is checked; by default, a spec without a title is allowed.
    """
    text = "\n".join(_lines(parts)) + "\n"
    formatted = format_text(Source(text, "<built>"), mode=config.range if config else "half-open").text
    parsed = parse(Source(formatted, "<built>"))
    return BuiltSpec(parsed.source, parsed.file, parsed.diagnostics, config or Config(snippet=True), parts)


def parts_of(text: Text) -> tuple[Part, ...]:
    """Take a spec apart: `build(*parts_of(text))` is equivalent to the text, in its normal form.

    Blank lines between statements are dropped. A comment after a `}` moves to a separate line.

    Parameters:
        text: The text itself, a path object, the name of an `.acdl` file, or a spec.

    Raises:
        BuildError: The text has syntax errors; the message is the first of them.
        OSError: The file cannot be read.
    """
    spec = read_spec(text)
    errors = [make_problem(each, spec.source) for each in spec.diagnostics if each.severity == "error"]
    if errors:
        raise BuildError(str(errors[0]))
    return tuple(_make_part(item, spec.source.text, is_top=True) for item in spec.file.items)


# ------------------------------------------------------------------------------------------------------ kinds of parts


def prompt(name: str, *body: Body, at: str = "@T") -> Part:
    """Make a spec: `Name[@T]: { ... }`.

    Parameters:
        name: The name of the spec.
        body: Its messages and control flow.
        at: Its parameters, separated by commas.
    """
    return Part(f"{name}[{at}]:", _parts(body))


def string_fragment(name: str, *body: Body, parameters: str = "") -> Part:
    """Make a fragment of message contents: `StrFrag Name[parameters]: { ... }`.

    Parameters:
        name: The name of the fragment.
        body: Pieces of messages, in order: parts or expressions, such as `"env.question[@T]"`.
        parameters: Its parameters, separated by commas; empty if it has none.
    """
    return Part(f"StrFrag {name}{f'[{parameters}]' if parameters else ''}:", _parts(body))


def roles_fragment(name: str, *body: Body, parameters: str = "") -> Part:
    """Make a fragment of whole messages: `RolesFrag Name[parameters]: { ... }`.

    Parameters:
        name: The name of the fragment.
        body: Messages and control flow, in order.
        parameters: Its parameters, separated by commas; empty if it has none.
    """
    return Part(f"RolesFrag {name}{f'[{parameters}]' if parameters else ''}:", _parts(body))


def system(*body: Body) -> Part:
    """Make a System message.

    Parameters:
        body: Its content, in order: parts or expressions, such as `"env.question[@T]"`.
    """
    return _message("S:", body)


def user(*body: Body) -> Part:
    """Make a User message.

    Parameters:
        body: Its content, in order: parts or expressions, such as `"env.question[@T]"`.
    """
    return _message("U:", body)


def assistant(*body: Body) -> Part:
    """Make an Assistant message.

    Parameters:
        body: Its content, in order: parts or expressions, such as `"env.question[@T]"`.
    """
    return _message("A:", body)


def tool(*body: Body) -> Part:
    """Make a Tool message.

    Parameters:
        body: Its content, in order: parts or expressions, such as `"env.question[@T]"`.
    """
    return _message("T:", body)


def completion(*body: Body) -> Part:
    """Make text that is sent without roles: `N: { ... }`.

    Parameters:
        body: Its content, in order: parts or expressions, such as `"env.question[@T]"`.
    """
    return _message("N:", body)


def for_each(variable: str, values: str, *body: Body) -> Part:
    """Make a loop: `ForEach(variable: values) { ... }`.

    Parameters:
        variable: The loop variable, such as `t`.
        values: A range or a list in ACDL, such as `range(1, @T)`.
        body: What each round contains, in order: parts or expressions.
    """
    return Part(f"ForEach({variable}: {values})", _parts(body))


def if_(condition: str, *body: Body) -> Part:
    """Make a condition: `If condition { ... }`; `.elif_(...)` and `.else_(...)` add branches.

    Parameters:
        condition: In ACDL, such as `@T > 1`.
        body: Its content, in order: parts or expressions.
    """
    return Part(f"If {condition}", _parts(body))


def switch(subject: str, *cases: Part) -> Part:
    """Make a choice between `case(...)` and `default(...)`.

    Parameters:
        subject: The value to choose by, in ACDL.
        cases: The cases, in order; the first that fits is taken.
    """
    return Part(f"Switch {subject}", cases)


def case(value: str, *body: Body) -> Part:
    """Make a case of a `switch`.

    Parameters:
        value: The value of the subject, in ACDL, such as `"late"`.
        body: Its content, in order: parts or expressions.
    """
    return Part(f"Case {value}", _parts(body))


def default(*body: Body) -> Part:
    """Make the case for all other values of a `switch`.

    Parameters:
        body: Its content, in order: parts or expressions.
    """
    return Part("Default", _parts(body))


def mark(number: int, *body: Body) -> Part:
    """Make a numbered bracket beside its body.

    Parameters:
        number: The number that a figure shows at the bracket.
        body: The statements beside the bracket, in order.
    """
    return Part(f"Mark {number}", _parts(body))


def name(target: str, value: str) -> Part:
    """Make a name for a value, used as `$target`: `Name target := value`.

    Parameters:
        target: The name, without `$`.
        value: An expression of ACDL.
    """
    return Part(f"Name {target} := {value}")


def use(fragment: str, *arguments: str) -> Part:
    """Insert the body of a fragment: `Frag Name[arguments]`.

    Parameters:
        fragment: The name of the fragment.
        arguments: Expressions of ACDL for its parameters, in order.
    """
    argument_list = f"[{', '.join(arguments)}]" if arguments else ""
    return Part(f"Frag {fragment}{argument_list}")


def content(expression: str) -> Part:
    """Make a piece of a message from an ACDL expression: `env.question[@T]`, `INSTRUCTIONS`.

    Parameters:
        expression: The expression. Where a body is expected, the string alone is enough.
    """
    return Part(expression)


def text(words: str) -> Part:
    """Make a piece of a message with literal text: `"words"`.

    Parameters:
        words: One line of text, which is quoted.

    Raises:
        BuildError: It has several lines, or both kinds of quotation marks.
    """
    quote = "'" if '"' in words else '"'
    return Part(quote_string(words, quote))


def comment(words: str) -> Part:
    """Make a comment on separate lines.

    Parameters:
        words: The words, without `//`; each line becomes a comment line.
    """
    return Part("\n".join(f"// {line}".rstrip() for line in _LINE_END.split(words)))


def ends_here(condition: str = "") -> Part:
    """Make `PromptEndsHere`, optionally with a condition.

    Parameters:
        condition: In ACDL; empty to end the prompt in any case.
    """
    return Part(f"PromptEndsHere when {condition}" if condition else "PromptEndsHere")


def break_() -> Part:
    """Make a statement that leaves the loop."""
    return Part("break")


def continue_() -> Part:
    """Make a statement that starts the next round of the loop."""
    return Part("continue")


def _message(marker: str, body: Sequence[Body]) -> Part:
    parts = _parts(body)
    return Part(marker, parts, is_line=len(parts) == 1 and parts[0].body is None and not parts[0].head.startswith("//"))


def _parts(body: Sequence[Body]) -> tuple[Part, ...]:
    return tuple(content(each) if isinstance(each, str) else each for each in body)


# ------------------------------------------------------------------------------------------------------ parts to text


def _lines(parts: Sequence[Part]) -> Iterator[str]:
    """Yield parts as ACDL, not yet in the normal form."""
    for part, following in zip_longest(parts, parts[1:]):
        note = f" // {' '.join(part.note.split())}" if part.note else ""
        if part.body is None:
            is_open = following is not None and CONTINUES.match(following.head) and not part.head.startswith("//")
            yield f"{part.head}{';' if is_open else ''}{note}"
        elif part.is_line and len(part.body) == 1:
            first, *others = _lines(part.body)
            yield f"{part.head} {first}{note}"
            yield from others
        else:
            yield f"{part.head} {{{note}"
            yield from _lines(part.body)
            yield "}"
        yield from _lines(part.then)


def _check_head(part: Part) -> None:
    """Refuse a part whose head, parsed without its body, is not exactly one statement.

    Raises:
        BuildError: It is.
    """
    head = _LINE_END.sub("\n", part.head)
    alone = head if part.body is None else f"{head} {{ }}"
    around = _ARMS.get(head.partition(" ")[0], "{}") if part.body is not None else "{}"
    alone = around.replace("{}", alone)
    problems = []
    for source_text, is_inside in ((alone, False), (f"S: {{\n{alone}\n}}", True)):
        parsed = parse(Source(source_text))
        nodes = parsed.file.items
        if is_inside:  # a `}` in the head would end the message early, and something else would follow it
            nodes = getattr(nodes[0], "body", ()) if len(nodes) == 1 else ()
        problems += [each.message for each in parsed.diagnostics if each.severity == "error"]
        if not parsed.diagnostics and _is_one(nodes, part, n_arms=1 + around.startswith("If")):
            return
    expected = "one line without a comment" if part.body is None else "the head of one block"
    reason = problems[0] if problems else f"expected {expected}"
    raise BuildError(f"`{head}` is not one statement of ACDL: {reason}")


def _is_one(nodes: Sequence[Node], part: Part, *, n_arms: int) -> bool:
    """Return whether the nodes of a head are one statement of the kind of the part."""
    if part.head.startswith("//"):
        return part.body is None and all(isinstance(each, Comment) for each in nodes)
    if len(nodes) != 1 or isinstance(nodes[0], Comment) or getattr(nodes[0], "comment", None) is not None:
        return False
    node = nodes[0]
    if isinstance(node, (If, Switch)):
        arms = node.arms
        return part.body is not None and len(arms) <= n_arms and all(getattr(each, "body", 0) == () for each in arms)
    body = getattr(node, "body", None)
    return body is None if part.body is None else body == () and not isinstance(node, (Broken, BrokenBlock))


# ------------------------------------------------------------------------------------------------------ text to parts


def _make_part(item: Item | HostLine, text: str, *, is_top: bool = False) -> Part:
    """Convert a statement to a part."""
    if isinstance(item, If):
        first, *others = (_make_part(arm, text) for arm in item.arms)
        return dataclasses.replace(first, then=tuple(others))
    head = print_head(item, text, is_top=is_top)
    beside = getattr(item, "comment", None)
    note = " ".join(beside.text.split()) if beside is not None else ""
    body = item.arms if isinstance(item, Switch) else getattr(item, "body", None)
    if body is None:
        return Part(head, note=note)
    is_line = isinstance(item, RoleMessage) and not item.is_braced and len(body) == 1
    return Part(head, tuple(_make_part(each, text) for each in body), note, is_line=is_line)


def _path_at(built: BuiltSpec, offset: int) -> str:
    """Return the path of the innermost part at an offset of the text."""
    path = ""
    pairs = list(_pair_nodes(built.parts, built.file.items, ""))
    while True:
        child = next((each for each in pairs if each[2].span.start <= offset <= each[2].span.end), None)
        if child is None:
            return path or "the spec"
        step, part, node = child
        path = f"{path}{node.name.name if isinstance(node, (Prompt, Fragment)) and not path else step}"
        pairs = list(_pair_nodes(part.body or (), _child_statements(node), ".body"))


def _pair_nodes(parts: Sequence[Part], nodes: Sequence[Node], where: str) -> Iterator[tuple[str, Part, Node]]:
    """Yield each part, with its path and its node; a comment may have several nodes."""
    remaining = iter(nodes)
    for idx, part in enumerate(parts):
        n_nodes = part.head.count("\n") + 1 if part.head.startswith("//") else 1
        for node in islice(remaining, n_nodes):
            if isinstance(node, If):
                arms = zip((part, *part.then), node.arms, strict=False)
                for number, (arm_part, arm) in enumerate(arms):
                    yield f"{where}[{idx}]{f'.then[{number - 1}]' if number else ''}", arm_part, arm
            else:
                yield f"{where}[{idx}]", part, node


def _child_statements(node: Node) -> Sequence[Node]:
    """Return the statements directly inside a node."""
    inside: Sequence[Node] = node.arms if isinstance(node, Switch) else getattr(node, "body", ())
    return inside
