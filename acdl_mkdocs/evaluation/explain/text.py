"""An explanation as Markdown that is also readable as plain text."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.explain.model import ExamplePoint, Explanation, Item, NamedValue, RequiredEntry
from acdl_mkdocs.foundation.markdown import escape_cell
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count

_SIGNS = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_MOST_ROLES = 24
_MOST_UNKNOWN = 6
_INDENT = "  "


def write(explanations: Sequence[Explanation]) -> str:
    """Return the explanations, one after another."""
    return "\n".join("\n".join(map(make_visible, _format_explanation(each))) + "\n" for each in explanations)


def write_outline(explanation: Explanation) -> str:
    """Return what a spec is, and its statements in words, to stand below its text."""
    lines = [line for item in explanation.items for line in _format_outline(item, 0, has_lines=False)]
    return "\n".join(map(make_visible, [explanation.summary, *(["", *lines] if lines else [])]))


def _format_explanation(explanation: Explanation) -> Iterator[str]:
    yield f"# {explanation.title or explanation.file}"
    yield ""
    yield explanation.summary
    if explanation.about:
        yield from ("", f"The author says: {explanation.about}")
    for heading, lines in _build_sections(explanation).items():
        if lines:
            yield from ("", f"## {heading}", "", *lines)


def _build_sections(explanation: Explanation) -> dict[str, list[str]]:
    """Return the lines under each heading; some are empty."""
    return {
        "What it has, in this order": [line for item in explanation.items for line in _format_outline(item, 0)],
        "What grows as time goes on": [f"- {each}" for each in explanation.growing],
        "What is sent at first": list(_format_example_points(explanation.moments)),
        "Names": [f"- {_format_name(each)}" for each in explanation.names],
        "What a state has to say": list(_format_required_entries(explanation.needed)),
        "What could not be explained": [f"- {each}" for each in explanation.unknown],
    }


def _format_name(named: NamedValue) -> str:
    uses = format_count(named.n_uses, "time")
    return f"`${named.name}` (line {named.line}, used {uses}) stands for {named.stands_for}"


def _format_required_entries(needed: Sequence[RequiredEntry]) -> Iterator[str]:
    """Yield a table of the entries of a state."""
    if needed:
        yield from ("| entry | from | what it is | how often |", "|---|---|---|---|")
    for need in needed:
        comment = f" ({'; '.join(need.comments)})" if need.comments else ""
        yield f"| `{need.path}` | {need.origin} | {escape_cell(need.expected + comment)} | {need.when} |"


def _format_outline(item: Item, depth: int, *, has_lines: bool = True) -> Iterator[str]:
    line = f" [line {item.line}]" if has_lines else ""
    comment = f" ({item.comment})" if item.comment else ""
    if len(item.items) == 1 and not item.items[0].items and item.kind == "message":
        only = item.items[0]
        detail = f": {only.text}" + (f" ({only.comment})" if only.comment else "")
        yield f"{_INDENT * depth}- {item.text}{detail}{comment}{line}"
        return
    colon = ":" if item.items else ""
    yield f"{_INDENT * depth}- {item.text}{comment}{colon}{line}"
    for each in item.items:
        yield from _format_outline(each, depth + 1, has_lines=has_lines)


def _format_example_points(points: Sequence[ExamplePoint]) -> Iterator[str]:
    """Yield a line for each point: the number of messages of each role."""
    if not points:
        return
    yield "| at | messages | roles |"
    yield "|---|--:|---|"
    for each in points:
        roles = " ".join(_SIGNS[role] for role in each.roles[:_MOST_ROLES])
        rest = f" and {len(each.roles) - _MOST_ROLES} more" if len(each.roles) > _MOST_ROLES else ""
        yield f"| @{each.at} | {len(each.roles)} | {roles}{rest} |"
    undecided = [f"`{each}`" for each in dict.fromkeys(each for moment in points for each in moment.undecided)]
    if undecided:
        rest = f" and {len(undecided) - _MOST_UNKNOWN} more" if len(undecided) > _MOST_UNKNOWN else ""
        listed = ", ".join(undecided[:_MOST_UNKNOWN])
        yield from (
            "",
            f"Only a state decides {listed}{rest}. Here, such conditions count as false, and such lists and ranges as "
            "empty: with a state, other messages can be sent.",
        )
