"""What is wrong with a text, as data: rule, severity, places, words, cure.

Nothing here decides what is wrong (`rules/`, `syntax/`) or how it is shown (`reports/`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.source import Span

Severity = Literal["error", "warning", "note"]
"""`error`: the reference forbids it, or it cannot be understood. `warning`: legal, probably not meant.
`note`: style."""


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what is to be said of it, readable alone."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mechanical cure."""

    title: str
    edits: tuple[TextEdit, ...]
    is_safe: bool = True
    """Whether the meaning of the spec stays the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem."""

    rule: str
    """Kebab-case name of the problem: also its page, its setting and its suppression comment."""
    severity: Severity
    message: str
    """What is wrong in one line that makes sense alone in a log; lower case, no full stop."""
    label: Label
    """The place to look at first."""
    related: tuple[Label, ...] = ()
    """Other places that explain why, in source order."""
    help: tuple[str, ...] = ()
    """What a person can type, one entry a choice."""
    fix: Fix | None = None


def diagnostic(
    severity: Severity,
    rule: str,
    message: str,
    label: Label,
    *,
    related: Sequence[Label] = (),
    help: str | Sequence[str] = (),
    fix: Fix | None = None,
) -> Diagnostic:
    """A diagnostic with its labels in source order; one help line may be given without a list."""
    return Diagnostic(
        rule=rule,
        severity=severity,
        message=message,
        label=label,
        related=tuple(sorted(related, key=lambda each: each.span.start)),
        help=(help,) if isinstance(help, str) else tuple(help),
        fix=fix,
    )


error = partial(diagnostic, "error")
"""`error(rule, message, label, *, related, help, fix)`: a diagnostic of that severity; likewise the two below."""
warning = partial(diagnostic, "warning")
note = partial(diagnostic, "note")
