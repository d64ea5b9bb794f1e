"""Rule `range-excludes-current`: a loop over time stops one turn earlier than its author seems to think."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.names.ranges import ExcludedEnd, are_ends_included, excluded_elements, excluded_turns
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.pragmas import read_settings

_PRAGMA = "// acdl: range=inclusive"
_N_SHOWN = 5


def range_excludes_current(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report loops that only make sense if the end of a range belongs to it, where it does not.

    That is a history up to `@T-1` of a spec that reads the turn `@T-1` nowhere else, and a test `@t == @T` inside a
    loop that stops before `@T`. All of a text are one report, at the first, and those that `range-excludes-last` finds
    belong to it. With `range = "inclusive"` the rule is silent.

    ## Why
    The paper's ranges stop before their end, those of the website reference include it: copied from one to the other,
    a history loses its last turn.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T-1)) {
            U: env.query[@t]
        }
        U: env.query[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T)) {
            U: env.query[@t]
        }
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Functions".
    """
    ends = excluded_turns(resolved, config)
    if ends:
        yield report_excluded("range-excludes-current", ends, excluded_elements(resolved, config), resolved)


def report_excluded(rule: str, ends: list[ExcludedEnd], others: list[ExcludedEnd], resolved: Resolved) -> Diagnostic:
    """Report all affected ranges of a text, at the first place.

    Parameters:
        rule: The rule that reports it.
        ends: What the rule has found.
        others: What another rule has found, and does not report.
        resolved: The text.
    """
    first, *rest = ends
    rest = sorted([*rest, *others], key=lambda each: each.label.span.start)
    is_meant = are_ends_included(resolved, [*ends, *others])
    related = (
        [Label(first.bounds.span, f"this range stops before `{format_expression(first.bounds.stop)}`")]
        if first.is_test
        else []
    )
    related += [Label(each.label.span, each.label.text) for each in rest[:_N_SHOWN]]
    rest_text = (
        f"; {format_count(len(rest) - _N_SHOWN, 'other place')} of this text like it" if len(rest) > _N_SHOWN else ""
    )
    cures = [f"to include it, write `{first.cure}`" + (", and likewise in the others" if rest else "")]
    pragma = f"if ranges include their end here, say so at the top of the text: `{_PRAGMA}`"
    if "range" not in read_settings(resolved.parsed.file):
        cures.insert(0 if is_meant else 1, pragma)
    edits = tuple({each.edit.span: each.edit for each in (first, *rest)}.values())
    fix = Fix("include it", edits, is_safe=False)
    if is_meant:
        fix = Fix(f"write `{_PRAGMA}`", (insert_text(0, f"{_PRAGMA}\n"),), is_safe=False)
    label = Label(first.label.span, first.label.text + rest_text)
    return warning(rule, first.message, label, related=related, help=cures, fix=fix)
