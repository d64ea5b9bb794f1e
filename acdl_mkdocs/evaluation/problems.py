"""All problems of an evaluation: one function for each, with its rule name, its message and its help.

Errors make the transcript unfit to be sent; warnings and notes explain how something was interpreted.
"""

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state.sample_state import MissingMode
from acdl_mkdocs.evaluation.transcript import Choice, Finding
from acdl_mkdocs.evaluation.values import Unknown, Value, describe_kind, find_special_parts
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.syntax.nodes import Expression

EVALUATION_RULES = (
    "missing-value",
    "future-value",
    "answer-before-call",
    "unbound-value",
    "misplaced-statement",
    "not-iterable",
    "not-computable",
    "undecided-condition",
    "evaluation-limit",
    "no-text",
    "unfilled-template",
    "no-message",
    "read-as",
    "flattened-part",
)
"""Rule names of an evaluation; the documentation has a section for each."""


def missing_value(span: Span, text: str, where: str, near: tuple[str, list[str]] | None = None) -> Diagnostic:
    """Return the diagnostic for a value that the state does not have.

    Parameters:
        span: The reference.
        text: The reference with its times filled in.
        where: What to type into the state file.
        near: The key that is not there, and those that are.
    """
    closest = find_closest(near[0], near[1]) if near else None
    hint = [f"did you mean `{closest}`?"] if closest else []
    return error(
        "missing-value", f"the state has no `{text}`", Label(span, "nothing is given for this"), help=[*hint, where]
    )


def unread_host_value(span: Span, text: str) -> Diagnostic:
    """Return the diagnostic for text that another tool inserts."""
    return error(
        "missing-value",
        f"what another tool puts in for `{text}` was not read",
        Label(span, "nothing is known of this"),
        help="write here what it puts in, or evaluate the text that it makes",
    )


def future_value(span: Span, text: str, at: str) -> Diagnostic:
    """Return the diagnostic for reading a value later than the current point."""
    return error(
        "future-value",
        f"`{text}` is later than the step that the prompt is built for, `@{at}`",
        Label(span, "this does not exist yet"),
        help="read an earlier step, or let the loop end at the current one",
    )


def answer_before_call(span: Span, text: str, *, is_written: bool) -> Diagnostic:
    """Return the diagnostic for reading the response of the current turn.

    Parameters:
        span: The reference.
        text: The reference with its times filled in.
        is_written: Whether the spec itself names the current turn, as its own answer; a loop that reaches it may run
            on a clock whose turns begin with the answer.
    """
    return (warning if is_written else note)(
        "answer-before-call",
        f"`{text}` is read before the model has answered, but the state has it",
        Label(span, "the answer of the step that the prompt is built for"),
        help=[
            "read the response of an earlier step, such as `[@T-1]`",
            "if another call of this step gives it, add the prompt of that call to the text",
        ],
    )


def unbound_value(span: Span, text: str, cure: str) -> Diagnostic:
    """Return the diagnostic for a name that has no value here."""
    return error("unbound-value", f"`{text}` has no value here", Label(span, "nothing gives it one"), help=cure)


def not_iterable(span: Span, text: str, kind: str, cure: str) -> Diagnostic:
    """Return the diagnostic for a loop over something that has no elements."""
    return error(
        "not-iterable", f"`{text}` cannot be looped over: it is {kind}", Label(span, "no list and no map"), help=cure
    )


def not_computable(span: Span, message: str, cure: tuple[str, ...] = ()) -> Diagnostic:
    """Return the diagnostic for values that cannot be calculated with, compared or used as a time."""
    return error("not-computable", message, Label(span, "this has no value"), help=cure)


def omitted_value(missing: Diagnostic) -> Diagnostic:
    """Return the diagnostic for a missing value that is left out, as the options allow."""
    label = Label(missing.label.span, "nothing is sent for this")
    return note("missing-value", f"{missing.message}: it is left out", label, help=missing.help)


def flattened_part(span: Span, kind: str) -> Diagnostic:
    """Return the diagnostic for a part of a message inside something that can only be text."""
    return warning(
        "flattened-part",
        f"{kind} becomes plain text here",
        Label(span, "only its words are sent"),
        help="send it as content of its own, or in a list: there it stays what it is",
    )


def undecided_condition(span: Span, condition: str, unknown: str) -> Diagnostic:
    """Return the diagnostic for a condition about something that the state does not have."""
    quoted = unknown.replace("'", "''")
    return error(
        "undecided-condition",
        f"the state does not decide whether `{condition}` holds: it has no `{unknown}`",
        Label(span, "neither true nor false"),
        help=f"give it a value, or decide it in the state file: `assume: [{{when: '{quoted}', value: true}}]`",
    )


def evaluation_limit(span: Span, message: str, cure: str = "solve some of those that are listed first") -> Diagnostic:
    """Return the diagnostic for an evaluation that was stopped, or for problems that are not listed."""
    return error("evaluation-limit", message, Label(span, "stopped here"), help=cure)


def no_text(span: Span, text: str, where: str) -> Diagnostic:
    """Return the diagnostic for a template or a function that is shown by its name."""
    return note("no-text", f"`{text}` is shown by its name", Label(span, "the state has nothing for it"), help=where)


def unfilled_template(span: Span, message: str, cure: str) -> Diagnostic:
    """Return the diagnostic for a template and arguments that do not match."""
    return warning("unfilled-template", message, Label(span, "not everything has a place"), help=cure)


def no_message(span: Span, role: str) -> Diagnostic:
    """Return the diagnostic for a message without any piece."""
    return note(
        "no-message",
        f"the {role} message is left out: it has no content at this point",
        Label(span, "nothing inside it was reached"),
        help="to keep empty messages, write `options: {empty: keep}` in the state file",
    )


def ambiguous_reading(span: Span, text: str, meaning: str, cure: str) -> Diagnostic:
    """Return the diagnostic that explains how something ambiguous was read."""
    return note("read-as", f"`{text}` is read as {meaning}", Label(span, "this can be read in several ways"), help=cure)


def misplaced_statement(span: Span, message: str, cure: str) -> Diagnostic:
    """Return the diagnostic for a statement without meaning at its place, or a use that matches no definition."""
    return error("misplaced-statement", message, Label(span, "this means nothing here"), help=cure)


MOST = 1000
"""More findings than anyone reads."""


@dataclass(slots=True)
class Findings:
    """Collects the findings of an evaluation."""

    missing: MissingMode
    """How to treat content that the state does not have."""
    found: dict[tuple[Source, str, Span, str], Finding] = field(default_factory=dict)
    required_unknowns: list[Unknown] = field(default_factory=list)
    """Unknown values that were needed as words."""
    _choices: dict[tuple[Source, Span, str], Choice] = field(default_factory=dict)
    _reported: set[tuple[Source, str, Span]] = field(default_factory=set)
    _is_full: bool = False

    def report_problem(self, here: Here, diagnostic: Diagnostic) -> None:
        """Report a problem at a place."""
        key = (here.source, diagnostic.rule, diagnostic.label.span, diagnostic.message)
        if key in self.found:
            return
        if len(self.found) < MOST:
            self.found[key] = Finding(here.source, diagnostic)
        elif diagnostic.severity == "error" and not self._is_full:
            self._is_full = True
            limit = evaluation_limit(diagnostic.label.span, f"more than {MOST:,} problems; the others are not listed")
            self.found[(here.source, limit.rule, limit.label.span, limit.message)] = Finding(here.source, limit)

    def report_once(self, here: Here, rule: str, span: Span, problem: Callable[[], Diagnostic]) -> None:
        """Report a problem at a place only once."""
        key = (here.source, rule, span)
        if key not in self._reported:
            self._reported.add(key)
            self.report_problem(here, problem())

    def report_missing(self, here: Here, unknowns: Iterable[Unknown]) -> None:
        """Report missing values: as errors, unless placeholders were requested."""
        for unknown in unknowns:
            self.required_unknowns.append(unknown)
            if unknown.problem is None or self._is_full:
                continue
            if unknown.kind != "missing" or self.missing == "error":
                self.report_problem(here, unknown.problem())
            elif self.missing == "empty":
                problem = unknown.problem()
                self.report_once(here, "missing-value", problem.label.span, partial(omitted_value, problem))

    def report_flattened(self, here: Here, span: Span, value: Value) -> None:
        """Report that calls, results, images and thoughts in a value become text."""
        if isinstance(value, (str, int)):
            return
        part = next(find_special_parts(value), None)
        if part is not None:
            self.report_once(here, "flattened-part", span, lambda: flattened_part(span, describe_kind(part)))

    def report_undecided(self, here: Here, condition: Expression, text: str, unknown: Unknown) -> None:
        """Report an undecided condition: an error, or a choice that is left open."""
        if unknown.kind == "error":
            self.report_missing(here, (unknown,))
        elif self.missing == "error":
            self.report_problem(here, undecided_condition(condition.span, text, unknown.text))
        else:
            choice = Choice(here.locate_span(condition.span), text, (unknown.text,))
            self._choices.setdefault((here.source, condition.span, unknown.text), choice)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The conditions that were left open."""
        return tuple(self._choices.values())
