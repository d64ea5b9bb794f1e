"""An explanation as plain data for JSON; `assets/explanation.schema.json` describes it."""

from collections.abc import Sequence

from acdl_mkdocs.evaluation.explain.model import Explanation, Item
from acdl_mkdocs.foundation.safe_text import json_text

VERSION = 1


def write(explanations: Sequence[Explanation]) -> str:
    """Return the explanations as one indented JSON document."""
    return json_text(to_object(explanations)) + "\n"


def to_object(explanations: Sequence[Explanation]) -> dict[str, object]:
    """Return the explanations as plain data."""
    return {"acdl_explanation": VERSION, "explanations": [_object(each) for each in explanations]}


def _object(told: Explanation) -> dict[str, object]:
    return {
        "name": told.name,
        "title": told.title,
        "kind": told.kind,
        "summary": told.summary,
        "about": told.about,
        "file": told.file,
        "line": told.line,
        "outline": [_item(each) for each in told.items],
        "messages": [
            {
                "role": each.role,
                "when": each.when,
                "contains": list(each.contains),
                "file": each.file,
                "line": each.line,
            }
            for each in told.messages
        ],
        "growing": list(told.growing),
        "moments": [
            {"at": each.at, "roles": list(each.roles), "undecided": len(each.undecided)} for each in told.moments
        ],
        "names": [
            {"name": each.name, "stands_for": each.stands_for, "line": each.line, "uses": each.n_uses}
            for each in told.names
        ],
        "needed": [
            {
                "path": each.path,
                "from": each.origin,
                "expected": each.expected,
                "when": each.when,
                "comments": list(each.comments),
            }
            for each in told.needed
        ],
        "fragments": list(told.fragments),
        "unknown": list(told.unknown),
    }


def _item(item: Item) -> dict[str, object]:
    return {
        "kind": item.kind,
        "text": item.text,
        "role": item.role,
        "comment": item.comment,
        "file": item.file,
        "line": item.line,
        "items": [_item(each) for each in item.items],
    }
