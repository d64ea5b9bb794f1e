"""An explanation as Markdown that is also readable as plain text."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.evaluation.explain.model import Explanation, Item, Moment, Named, Needed
from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.wording import counted

_SIGNS = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_MOST_ROLES = 24
_MOST_UNKNOWN = 6
_INDENT = "  "


def write(explanations: Sequence[Explanation]) -> str:
    """Return the explanations, one after another."""
    return "\n".join("\n".join(map(visible, _lines(each))) + "\n" for each in explanations)


def _lines(told: Explanation) -> Iterator[str]:
    yield f"# {told.title or told.file}"
    yield ""
    yield told.summary
    if told.about:
        yield from ("", f"The author says: {told.about}")
    for heading, lines in _sections(told).items():
        if lines:
            yield from ("", f"## {heading}", "", *lines)


def _sections(told: Explanation) -> dict[str, list[str]]:
    """Return the lines under each heading; some are empty."""
    return {
        "What it has, in this order": [line for item in told.items for line in _outline(item, 0)],
        "What grows as time goes on": [f"- {each}" for each in told.growing],
        "What is sent at first": list(_moments(told.moments)),
        "Names": [f"- {_name(each)}" for each in told.names],
        "What a state has to say": list(_needed(told.needed)),
        "What could not be explained": [f"- {each}" for each in told.unknown],
    }


def _name(named: Named) -> str:
    uses = counted(named.n_uses, "time")
    return f"`${named.name}` (line {named.line}, used {uses}) stands for {named.stands_for}"


def _needed(needed: Sequence[Needed]) -> Iterator[str]:
    """Yield a table of the entries of a state."""
    if needed:
        yield from ("| entry | from | what it is | how often |", "|---|---|---|---|")
    for need in needed:
        comment = f" ({'; '.join(need.comments)})" if need.comments else ""
        yield f"| `{need.path}` | {need.origin} | {_cell(need.expected + comment)} | {need.when} |"


def _outline(item: Item, depth: int) -> Iterator[str]:
    comment = f" ({item.comment})" if item.comment else ""
    if len(item.items) == 1 and not item.items[0].items and item.kind == "message":
        only = item.items[0]
        said = f": {only.text}" + (f" ({only.comment})" if only.comment else "")
        yield f"{_INDENT * depth}- {item.text}{said}{comment} [line {item.line}]"
        return
    colon = ":" if item.items else ""
    yield f"{_INDENT * depth}- {item.text}{comment}{colon} [line {item.line}]"
    for each in item.items:
        yield from _outline(each, depth + 1)


def _moments(moments: Sequence[Moment]) -> Iterator[str]:
    """Yield a line for each point: the number of messages of each role."""
    if not moments:
        return
    yield "| at | messages | roles |"
    yield "|---|--:|---|"
    for each in moments:
        roles = " ".join(_SIGNS[role] for role in each.roles[:_MOST_ROLES])
        more = f" and {len(each.roles) - _MOST_ROLES} more" if len(each.roles) > _MOST_ROLES else ""
        yield f"| @{each.at} | {len(each.roles)} | {roles}{more} |"
    undecided = [f"`{each}`" for each in dict.fromkeys(each for moment in moments for each in moment.undecided)]
    if undecided:
        more = f" and {len(undecided) - _MOST_UNKNOWN} more" if len(undecided) > _MOST_UNKNOWN else ""
        listed = ", ".join(undecided[:_MOST_UNKNOWN])
        yield from (
            "",
            f"Only a state decides {listed}{more}. Here, such conditions count as false, and such lists and ranges as "
            "empty: with a state, other messages can be sent.",
        )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
