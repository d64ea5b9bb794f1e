"""Problems of a text, as data: rule, severity, places, words, fix.

Nothing here decides what is wrong (`rules/`, `syntax/`) or how it is shown (`reports/`).
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span

Severity = Literal["error", "warning", "note"]
"""`error`: the reference forbids it, or it cannot be understood. `warning`: legal, probably not meant.
`note`: style."""


@dataclass(frozen=True, slots=True)
class Label:
    """A place and a note about it that makes sense alone."""

    span: Span
    """The place, in the text that was checked."""
    text: str
    """The note, in lower case without a full stop: `not defined`."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text of a span."""

    span: Span
    """The text to replace; an empty span inserts."""
    text: str
    """The new text; empty to delete."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the text that a program can make."""

    title: str
    """What it does, for a menu of an editor."""
    edits: tuple[TextEdit, ...]
    """The edits, which belong together: apply all or none. They do not overlap."""
    is_safe: bool = True
    """Whether the meaning of the spec stays the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem."""

    rule: str
    """Kebab-case name of the problem: also its page, its setting and its suppression comment."""
    severity: Severity
    """`error` if the language forbids it or it cannot be understood, `warning` if it is legal but probably not meant,
    `note` for style; `Config.levels` can change it."""
    message: str
    """The problem in one line that makes sense alone in a log; lower case, no full stop."""
    label: Label
    """The place to look at first."""
    related: tuple[Label, ...] = ()
    """Other places that explain why, in source order."""
    help: tuple[str, ...] = ()
    """Cures: suggestions that a person can type, one entry per choice."""
    fix: Fix | None = None
    """A correction that a program can apply; `None` if a person has to decide."""


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
    """Return a diagnostic with its message on one line and its labels in source order.

    One help line may be given without a list.
    """
    return Diagnostic(
        rule=rule,
        severity=severity,
        message=_one_line(message),
        label=label,
        related=tuple(sorted(related, key=lambda each: each.span.start)),
        help=(help,) if isinstance(help, str) else tuple(help),
        fix=fix,
    )


def _one_line(message: str) -> str:
    """Return a message on one line, without the line ends of the words of a spec that it quotes."""
    lines = (line.strip() for line in message.split("\n"))
    return " ".join(line for line in lines if line) if "\n" in message else message


error = partial(diagnostic, "error")
"""`error(rule, message, label, *, related, help, fix)`: a diagnostic of that severity; likewise the two below."""
warning = partial(diagnostic, "warning")
note = partial(diagnostic, "note")


MAX_ROUNDS = 20
"""The maximum number of rounds of fixes, since fixes can cause other fixes."""
PARSE_PROBLEMS = frozenset(
    ("drawn-form", "not-acdl", "not-text", "syntax", "too-deep", "too-large", "unbalanced-block")
)
"""Problems of a text that was not understood, so that conclusions about it may be wrong."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes."""

    text: str
    """The new text."""
    n_fixed: int
    """The number of fixes applied."""


def apply_fixes(text: str, fixes: Sequence[Fix]) -> Fixed:
    """Apply all fixes whose edits do not overlap; of overlapping ones, only the first in the text.

    Each fix is applied whole or not at all.
    """
    taken: list[TextEdit] = []
    n_fixed = 0
    for fix in sorted(fixes, key=lambda each: min(edit.span.start for edit in each.edits)):
        if all(_is_free(edit, taken) for edit in fix.edits):
            for edit in fix.edits:
                insort(taken, edit, key=_edit_start)
            n_fixed += 1
    pieces: list[str] = []
    at = 0
    for edit in taken:
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return Fixed("".join(pieces) + text[at:], n_fixed)


def select_fixes(diagnostics: Sequence[Diagnostic], *, unsafe: bool = False) -> list[Fix]:
    """Select the fixes to apply from all that the diagnostics of a text offer.

    While part of the text is not understood, fixes that may change its meaning wait until that has been fixed: words
    that look unused or out of place may belong to the part that could not be read.

    Parameters:
        found: All diagnostics of the text.
        unsafe: Whether fixes that may change the meaning of the spec are applied too.
    """
    is_misread = any(each.rule in PARSE_PROBLEMS for each in diagnostics)
    return [
        each.fix
        for each in diagnostics
        if each.fix is not None and (each.fix.is_safe or (unsafe and (not is_misread or each.rule in PARSE_PROBLEMS)))
    ]


def fix_until_stable(text: str, check: Callable[[str], Sequence[Diagnostic]], *, unsafe: bool = False) -> Fixed:
    """Check and fix a text until no fix is left.

    Parameters:
        text: The text.
        check: Gives the diagnostics of a text.
        unsafe: Whether fixes that may change the meaning of the spec are applied too.
    """

    def fixes_of(current: str) -> list[Fix]:
        source = Source(current)
        return [_adapt_to_host(fix, source) for fix in select_fixes(check(current), unsafe=unsafe)]

    return apply_until_stable(text, fixes_of)


def apply_until_stable(text: str, fixes_of: Callable[[str], Sequence[Fix]]) -> Fixed:
    """Apply the fixes that `fixes_of` returns for a text, and repeat with the result until there are none."""
    n_fixed = 0
    for _ in range(MAX_ROUNDS):
        fixed = apply_fixes(text, fixes_of(text))
        if fixed.text == text:
            break
        text, n_fixed = fixed.text, n_fixed + fixed.n_fixed
    return Fixed(text, n_fixed)


def _adapt_to_host(fix: Fix, source: Source) -> Fix:
    """Return the fix with its texts adapted by `Source.in_host`."""
    return replace(fix, edits=tuple(TextEdit(edit.span, source.in_host(edit.text)) for edit in fix.edits))


def _edit_start(edit: TextEdit) -> int:
    return edit.span.start


def _is_free(edit: TextEdit, taken: list[TextEdit]) -> bool:
    """Return whether an edit overlaps none of the edits already taken, which are in source order."""
    at = bisect_left(taken, edit.span.start, key=_edit_start)
    before = taken[at - 1] if at else None
    after = taken[at] if at < len(taken) else None
    if before is not None and before.span.end > edit.span.start:
        return False
    return after is None or (after.span.start != edit.span.start and after.span.start >= edit.span.end)
