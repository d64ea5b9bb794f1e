"""The context of one evaluation: the state, the point in time, how ranges are read."""

from collections.abc import Callable
from dataclasses import field

from acdl_mkdocs.evaluation.problems import Findings
from acdl_mkdocs.evaluation.scope import PromptTime
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time, Unknown, Value
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.answers import AnswerSource
from acdl_mkdocs.language.syntax.nodes import ContextVar, Expression, Node
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one prompt."""

    iterations: int = 100_000
    """Rounds of all loops and uses of fragments together."""
    statements: int = 1_000_000
    """Executed statements, counted each time."""
    messages: int = 10_000
    characters: int = 50_000_000
    """In all messages together; the same number again for text that is only calculated with."""
    depth: int = 64
    """Fragments inside fragments."""


class LimitError(Exception):
    """The evaluation must stop."""

    def __init__(self, source: Source, span: Span, message: str, cure: str) -> None:
        super().__init__(message)
        self.source = source
        self.span = span
        self.message = message
        self.cure = cure


class Budget:
    """The remaining part of the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.iterations = limits.iterations
        self.statements = limits.statements
        self.messages = limits.messages
        self.characters = limits.characters
        self.built = limits.characters

    def take_rounds(self, source: Source, span: Span, count: int = 1) -> None:
        """Count rounds of a loop.

        Raises:
            LimitError: There are none left.
        """
        self.iterations -= count
        if self.iterations < 0:
            message = f"the loops make more than {self.limits.iterations:,} rounds"
            raise LimitError(source, span, message, "look at the bounds of this loop")

    def take_fragment_use(self, source: Source, span: Span) -> None:
        """Count one use of a fragment as a round of a loop.

        Raises:
            LimitError: There is none left.
        """
        self.iterations -= 1
        if self.iterations < 0:
            message = f"more than {self.limits.iterations:,} rounds of loops and uses of fragments"
            raise LimitError(source, span, message, "does a fragment use others twice, and they again?")

    def take_statement(self, source: Source, span: Span) -> None:
        """Count one statement.

        Raises:
            LimitError: There is none left.
        """
        self.statements -= 1
        if self.statements < 0:
            message = f"more than {self.limits.statements:,} statements are gone through"
            raise LimitError(source, span, message, "look at the loops and fragments around this")

    def take_message(self, source: Source, span: Span) -> None:
        """Count one message.

        Raises:
            LimitError: There is none left.
        """
        self.messages -= 1
        if self.messages < 0:
            message = f"the prompt has more than {self.limits.messages:,} messages"
            raise LimitError(source, span, message, "no provider takes that many")

    def take_sent_text(self, source: Source, span: Span, length: int) -> None:
        """Count characters of sent text.

        Raises:
            LimitError: There are none left.
        """
        self.characters -= length
        if self.characters < 0:
            message = f"the prompt has more than {self.limits.characters:,} characters"
            raise LimitError(source, span, message, "no model takes that much")

    def take_built_text(self, source: Source, span: Span, length: int) -> None:
        """Count characters of built text: joined by `+`, in a template, as arguments of a function.

        Raises:
            LimitError: There are none left.
        """
        self.built -= length
        if self.built < 0:
            message = f"texts of more than {self.limits.characters:,} characters are put together"
            raise LimitError(source, span, message, "look at what is put together here, and how often")


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """One spec at one point in time, with a state."""

    state: State
    now: PromptTime
    """The point, with the names of its parts in the title of the spec."""
    range_mode: RangeMode
    """How the text reads ranges; `modes` has the fragments of texts that read them differently."""
    budget: Budget
    findings: Findings
    find_answer_source: Callable[[ContextVar], AnswerSource] = lambda _: "itself"
    """Finds the prompt that gives an answer of the current turn."""
    is_range_given: bool = False
    """Whether `range_mode` applies to all texts, as it was given for the evaluation."""
    modes: dict[Node, RangeMode] = field(default_factory=dict)
    _expression_texts: dict[Node, str] = field(default_factory=dict)
    _assumed_values: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the assumptions of the state by their text without blanks."""
        for each in self.state.assume:
            self._assumed_values.setdefault(_remove_blanks(each.when), each.value)

    @property
    def at(self) -> Time:
        """The point in time."""
        return self.now.at

    def format_expression(self, node: Expression) -> str:
        """Return an expression in normal form."""
        text = self._expression_texts.get(node)
        if text is None:
            text = self._expression_texts[node] = text_of(words_of(node, WRITTEN))
        return text

    def assume_value(self, node: Expression, unknown: Unknown, format_resolved: Callable[[], str]) -> Value:
        """Return the value that the state assumes for a reference or condition without a value.

        Parameters:
            node: The expression.
            unknown: Why it has no value; returned if nothing is assumed.
            format_resolved: Gives the expression with its times filled in.
        """
        if self._assumed_values and unknown.kind in ("missing", "function"):
            for text in (self.format_expression(node), format_resolved()):
                if _remove_blanks(text) in self._assumed_values:
                    return self._assumed_values[_remove_blanks(text)]
        return unknown

    def count_substeps(self, time: Time) -> int:
        """Return the number of steps of a turn: only completed ones of the current turn, 0 of a later one."""
        parts = time.significant
        if time.is_after(self.at):
            return 0
        return self.at.get_part(len(parts)) if time.has_inside(self.at) else self.state.substeps(parts)


def _remove_blanks(text: str) -> str:
    return "".join(text.split())
