"""Recorded runs without a spec, as one frozen value: runs, their steps, messages, costs and lost prefixes.

A *step* is one recorded request. Every model token of its tools and messages is counted in exactly one of three sums:
`n_prefix` at its beginning, equal to the step before, which a prompt cache can read; `n_again` after the first
difference, which was sent before and has to be processed again; `n_new`, which is sent for the first time in the run's
last two steps. Knows nothing about files and formats.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Part, Role, Tool
from acdl_mkdocs.runs.read.recorded import Origin, Tally

Change: TypeAlias = Literal["kept", "again", "changed", "new"]
"""The change of a message from the step before: within the common prefix; unchanged, but after its end; different
content in the same place; or not sent before."""
Reason: TypeAlias = Literal[
    "model", "parameter", "tools", "tool-order", "tool-definition",
    "date", "time", "number", "identifier", "text", "appended", "shortened", "cleared",
    "arguments", "attachment", "thinking", "parts", "inserted", "removed", "order", "replaced", "shorter",
]  # fmt: skip
"""Why a request does not extend the one before it."""


@dataclass(frozen=True, slots=True)
class WeighedPart:
    """A part of a message and its model tokens."""

    part: Part
    """Its displayed text; a long one may be cut."""
    n_tokens: int
    """Model tokens of the whole part."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedMessage:
    """A message; one that is sent again unchanged is the same object in the next step."""

    role: Role
    """`system`, `user`, `assistant`, `tool` or `none`."""
    name: str | None
    """Name of the speaker; `None` if the request gives none."""
    parts: tuple[WeighedPart, ...]
    """The content, in order."""
    key: bytes
    """Equal for messages with the same content."""
    n_tokens: int
    """Model tokens of all parts."""
    blocks: tuple[tuple[bytes, int, str], ...] = ()
    """Its long paragraphs: their digest, model tokens, and beginning."""


@dataclass(frozen=True, slots=True)
class WeighedTool:
    """A tool that a request defines, and the model tokens of its definition."""

    tool: Tool
    """The definition."""
    key: bytes
    """Equal for tools with the same definition."""
    n_tokens: int
    """Model tokens of the definition."""


@dataclass(frozen=True, slots=True)
class PrefixEnd:
    """The place where a request stops being equal to the one before it, and the reason."""

    reason: Reason
    """The kind of change: a name such as `date`, `tools` or `removed`."""
    words: str
    """The reason in words: `a date in the instructions changed`."""
    path: str
    """The place in the later request: `messages[0].parts[0]`, `tools[2]`, `settings.tool_choice`, `model`."""
    character: int | None = None
    """Offset in the text of that part, in code points from 0."""
    before: str = ""
    """The text of the earlier request from there on, shortened; empty where nothing is there."""
    after: str = ""
    """The text of the later request from there on, likewise."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A text that occurs several times in a request."""

    messages: tuple[int, ...]
    """Indices of the messages that contain it, from 0; one that contains it twice is listed twice."""
    n_tokens: int
    """Model tokens of one copy."""
    text: str
    """The beginning of the text."""

    @property
    def n_wasted(self) -> int:
        """Model tokens of all copies but the first."""
        return self.n_tokens * (len(self.messages) - 1)


@dataclass(frozen=True, slots=True)
class Usage:
    """Model tokens as the provider counted them in its reply."""

    n_input: int
    """Tokens of the whole request, cached or not."""
    n_cached: int | None = None
    """Tokens read from the cache of the provider; `None` if the reply does not have it."""
    n_output: int | None = None
    """Tokens of the reply; `None` if the reply does not have them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request."""

    origin: Origin
    """The file, and the position in it."""
    at: Time | None
    """The point in time, counted from the messages unless given; `None` if it is not known."""
    format: str
    """Wire format of the request, such as `openai`; `otel` for a trace."""
    model: str | None
    """Name of the model; `None` if it is not recorded."""
    tools: tuple[WeighedTool, ...]
    """The tools that the request defines, in order."""
    messages: tuple[WeighedMessage, ...]
    """The messages, in order."""
    changes: tuple[Change, ...]
    """The change of each message from the step before: `kept` (within the common prefix), `again` (unchanged, but after
    its end), `changed` or `new`. In the first step, all are new."""
    n_prefix: int
    """Model tokens at its beginning that are equal to the step before: a prompt cache can read them."""
    n_again: int
    """Model tokens after the first difference that were sent before and have to be processed again."""
    n_new: int
    """Model tokens that the step before did not send."""
    n_gone: int = 0
    """Model tokens of the step before that this one lacks: of dropped or shortened messages, and of tools."""
    end: PrefixEnd | None = None
    """Where the request stops being equal to the one before it, and why; `None` in the first step of a run, and if the
    request extends the one before it."""
    others: tuple[PrefixEnd, ...] = ()
    """Other changes after `end`, such as of further messages."""
    dropped: tuple[WeighedMessage, ...] = ()
    """Messages of the step before that this one lacks, even in a changed form."""
    repeats: tuple[Repeat, ...] = ()
    """Long texts that occur several times in it, the costliest first; at most 20."""
    settings_changed: tuple[str, ...] = ()
    """Names of parameters that differ from the step before."""
    usage: Usage | None = None
    """Model tokens as the provider counted them; `None` if the recording does not have them."""

    @property
    def n_tools(self) -> int:
        """Model tokens of the definitions of tools."""
        return sum(each.n_tokens for each in self.tools)

    @property
    def n_tokens(self) -> int:
        """Model tokens of everything that is counted."""
        return self.n_prefix + self.n_again + self.n_new


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool over a whole run."""

    name: str
    """The name by which the model calls it."""
    n_tokens: int
    """Model tokens of its last definition; 0 for a tool that is called and never defined."""
    n_steps: int
    """The number of requests that define it."""
    n_calls: int
    """The number of calls, including those of the last reply."""
    tool: Tool | None
    """Its last definition; `None` for a tool that is called and never defined."""
    is_provided: bool = False
    """Whether it is called and not defined because the provider runs or defines it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The requests of one conversation, in their order."""

    name: str
    """Name of the session or conversation; a generated one for requests that were grouped by content."""
    steps: tuple[Step, ...]
    """The requests, in order."""
    tools: tuple[ToolUse, ...]
    """The tools that requests define, then others that are called."""

    @property
    def n_tokens(self) -> int:
        """Model tokens of all requests."""
        return sum(each.n_tokens for each in self.steps)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of inspecting recordings."""

    files: tuple[str, ...]
    """The names of the files that were read."""
    runs: tuple[Run, ...]
    """The runs, in the order of the files."""
    tally: Tally
    """The number of requests, and what was skipped."""
    encoding: str
    """The encoding in which model tokens are counted, such as `o200k_base`."""
    is_estimate: bool
    """Whether model tokens are estimated instead of counted."""
    is_cut: bool = False
    """Whether contents were left out because there were too many to keep."""
    skipped: Sequence[str] = field(default=())
    """A sentence for each kind of value in the files that is not a request."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The requests of all runs."""
        return tuple(step for run in self.runs for step in run.steps)

    def shown(self, count: int) -> str:
        """Format a number of model tokens: `1,204`, and `≈1,204` if it is an estimate.

        Parameters:
            count: Such as `Step.n_tokens`.
        """
        return f"{'≈' if self.is_estimate else ''}{count:,}"

    def tokens(self, count: int) -> str:
        """Format a number of model tokens with its noun: `1,204 tokens`.

        Parameters:
            count: Such as `Step.n_tokens`.
        """
        return f"{self.shown(count)} token{'' if count == 1 else 's'}"
