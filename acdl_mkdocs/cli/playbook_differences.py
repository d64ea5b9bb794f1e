"""How the difference of a bullet in two revisions is said on a terminal and for programs."""

from acdl_mkdocs.cli.playbook_events import differing, in_words
from acdl_mkdocs.cli.playbook_files import one_line
from acdl_mkdocs.cli.word_diff import word_diff
from acdl_mkdocs.foundation.reports.excerpt import visible
from acdl_mkdocs.playbook.store.look import Difference
from acdl_mkdocs.prompts.prompt import Json


def data_of(each: Difference) -> Json:
    """A difference for programs."""
    return {
        "group": each.group,
        "kind": each.kind,
        "id": each.id,
        "fields": [*each.fields],
        "before": each.before,
        "after": each.after,
    }


def lines_of(each: Difference, *, color: bool) -> list[str]:
    """A difference as lines; what changed in a text is marked word by word."""
    name = visible(each.id) or "playbook"
    was = each.before if isinstance(each.before, dict) else {}
    now = each.after if isinstance(each.after, dict) else {}
    if each.before is None or each.after is None:
        told = was or now
        text = told.get("content") or told.get("title") or told.get("why") or told.get("verdict") or ""
        return [f"{'+' if each.before is None else '-'} {name}  {one_line(str(text), 100)}"]
    lines = [f"~ {name}"]
    for key in differing(was, now):
        old, new = was.get(key), now.get(key)
        if isinstance(old, str) and isinstance(new, str):
            lines.append(f"    {key}: {word_diff(visible(old), visible(new), color=color)}")
        else:
            lines.append(f"    {key}: {_shown(old)} -> {_shown(new)}")
    return lines


def _shown(value: Json) -> str:
    return "-" if value is None else one_line(in_words(value))
