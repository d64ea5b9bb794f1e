"""The result of an evaluation: messages whose pieces know their places in the spec and the state.

Knows nothing about how they are shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import groupby
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Node
from acdl_mkdocs.prompts import prompt

Kind: TypeAlias = Literal[
    "template", "variable", "function", "name", "loop-variable", "literal", "number", "expression"
]
Status: TypeAlias = Literal["given", "placeholder", "missing", "error"]
"""`given`: by the state or the spec itself. `placeholder`: a template without text or a function without a sample.
`missing`: the state has no value. `error`: it has none that could be used."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A place of a spec, which may be in the file of a fragment instead of the spec itself."""

    source: Source
    """The text of the spec, or that of the fragment."""
    span: Span
    """The statement or expression in that text."""

    @property
    def line(self) -> int:
        """Line of the file, from 1."""
        return self.source.find_place(self.span.start).line


@dataclass(frozen=True, slots=True)
class Round:
    """A cause of a message: one round of a loop around it, or the use of the fragment that contains it."""

    origin: Origin
    """The loop, or the use of the fragment."""
    kind: Literal["loop", "fragment"]
    """`loop` or `fragment`."""
    name: str
    """The variable of the loop, or the fragment."""
    value: str
    """The value of the variable, or the arguments."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of information of a message."""

    kind: Kind
    """The kind of expression that it comes from, such as `template`, `variable` or `literal`."""
    origin: Origin
    """The expression in the spec, or in the fragment that it comes from."""
    expression: str
    """As the spec writes it."""
    resolved: str
    """With times and arguments filled in: `env.question[@2]`."""
    text: str
    """The sent words."""
    parts: tuple[prompt.Part, ...]
    """The sent parts; empty if `text` is all of it."""
    status: Status
    """`given` if the state or the spec has the text. Else why it is not certain: `placeholder` (a template without
    text, a function without a sample), `missing` (the state has no value) or `error` (no usable value)."""
    state_path: str
    """Its path in the state: `steps.2.env.question`; empty for content that does not come from the state."""
    stack: tuple[Round, ...]
    """Rounds inside the message."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message that is sent."""

    role: prompt.Role
    """`system`, `user`, `assistant` or `tool`; `none` for text that is sent without a role."""
    origin: Origin
    """The message in the spec, or in the fragment that it comes from. A loop sends several messages of one origin."""
    stack: tuple[Round, ...]
    """Rounds around the message, the outermost first."""
    pieces: tuple[Piece, ...]
    """The content, in order; empty for an empty message that is kept."""
    joiner: str = "\n"
    """The text between two pieces."""

    @property
    def parts(self) -> tuple[prompt.Part, ...]:
        """The sent parts: neighbouring words are joined to one text, other parts come between them."""
        parts: list[prompt.Part] = []
        for is_words, pieces in groupby(self.pieces, lambda piece: not piece.parts):
            if is_words:
                parts.append(prompt.Text(self.joiner.join(piece.text for piece in pieces)))
            else:
                parts.extend(part for piece in pieces for part in piece.parts)
        return tuple(parts)

    @property
    def text(self) -> str:
        """The whole message as words."""
        return self.joiner.join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Choice:
    """A condition that the state does not decide: it counted as false."""

    origin: Origin
    """The condition in the spec."""
    condition: str
    """As the spec writes it."""
    unknown: tuple[str, ...]
    """The missing references, with times filled in."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of the evaluation, and the source of its spans."""

    source: Source
    """The spec, the file of a fragment, or the state file."""
    diagnostic: Diagnostic
    """The problem. In `Transcript.findings` of `acdl_mkdocs.evaluate` it is a `Problem`, which also has line and
    column."""


def drop_repeated_findings(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings of several points in time, each once, in the order of their first occurrence."""
    seen: set[tuple[object, ...]] = set()
    for each in findings:
        diagnostic = each.diagnostic
        key = (each.source.name, diagnostic.rule, diagnostic.label.span, diagnostic.message)
        if key not in seen:
            seen.add(key)
            yield each


@dataclass(frozen=True)
class Transcript:
    """The messages that a spec sends at one point in time."""

    spec: str
    """Name of the spec; empty for a text without a title."""
    source: Source
    """The text with the spec."""
    at: Time
    """The point in time; `str()` gives `3` or `3.2`."""
    range: RangeMode
    """How `range(a, b)` was read."""
    messages: tuple[SentMessage, ...]
    """The messages, in the order in which they are sent."""
    findings: tuple[Finding, ...] = ()
    """Errors, warnings and notes in the order of the evaluation."""
    choices: tuple[Choice, ...] = ()
    """Conditions that the state does not decide; they counted as false."""
    ended: Origin | None = None
    """The `PromptEndsHere` that ended the prompt; `None` if none did."""
    counts: Mapping[Node, int] = field(default_factory=dict)
    """How often each statement was reached; the number of rounds of a loop, how often an alternative was taken.
    Statements that were not reached are absent."""
    tools: tuple[prompt.Tool, ...] = ()
    """The tools of the state, which are sent beside the messages."""
    memory: tuple[prompt.Memory, ...] = ()
    """The memory of the state, which is sent beside the messages."""

    @cached_property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make the transcript unfit to be sent."""
        return tuple(each for each in self.findings if each.diagnostic.severity == "error")

    @property
    def pieces(self) -> Iterator[Piece]:
        """The pieces of all messages."""
        return (piece for message in self.messages for piece in message.pieces)


def build_prompt(transcript: Transcript) -> prompt.Prompt:
    """Return the messages as they are sent to a provider, with the tools and the memory of the state.

    Plain words in a message of a tool are a result; the writer of a request determines which call it answers.
    """
    messages = tuple(prompt.Message(each.role, tuple(_list_parts(each))) for each in transcript.messages)
    return prompt.Prompt(messages, transcript.tools, transcript.memory)


def _list_parts(message: SentMessage) -> Iterator[prompt.Part]:
    """Yield the parts of a message; words of a tool message become results."""
    for part in message.parts:
        is_words = message.role == "tool" and isinstance(part, prompt.Text)
        yield prompt.Output((part,)) if is_words and isinstance(part, prompt.Text) else part


_MOST = 24
"""Maximum number of characters of a value that are shown."""


def format_stack(stack: Sequence[Round]) -> str:
    """Format all rounds, the outermost first."""
    return " ".join(map(_format_round, stack))


def _format_round(each: Round) -> str:
    if each.kind == "fragment":
        return each.name
    value = " ".join(each.value.split())
    value = value if len(value) <= _MOST else f"{value[: _MOST - 1]}…"
    return f"@{each.name}={value[1:]}" if value.startswith("@") else f"{each.name}={value}"
