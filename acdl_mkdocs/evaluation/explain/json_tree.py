"""An explanation as plain data for JSON; `assets/explanation.schema.json` describes it."""

from collections.abc import Sequence

from acdl_mkdocs.evaluation.explain.model import Explanation, Item, NamedValue
from acdl_mkdocs.foundation.safe_text import json_text

VERSION = 1


def write(explanations: Sequence[Explanation]) -> str:
    """Return the explanations as one indented JSON document."""
    return json_text(build_objects(explanations)) + "\n"


def build_objects(explanations: Sequence[Explanation]) -> dict[str, object]:
    """Return the explanations as plain data."""
    return {"acdl_explanation": VERSION, "explanations": [_build_explanation(each) for each in explanations]}


def _build_explanation(explanation: Explanation) -> dict[str, object]:
    return {
        "name": explanation.name,
        "title": explanation.title,
        "kind": explanation.kind,
        "summary": explanation.summary,
        "about": explanation.about,
        "file": explanation.file,
        "line": explanation.line,
        "outline": [_build_item(each) for each in explanation.items],
        "messages": [
            {
                "role": each.role,
                "when": each.when,
                "contains": list(each.contains),
                "file": each.file,
                "line": each.line,
            }
            for each in explanation.messages
        ],
        "growing": list(explanation.growing),
        "moments": [
            {"at": each.at, "roles": list(each.roles), "undecided": len(each.undecided)} for each in explanation.moments
        ],
        "names": [_build_name(each) for each in explanation.names],
        "needed": [
            {
                "path": each.path,
                "from": each.origin,
                "expected": each.expected,
                "when": each.when,
                "comments": list(each.comments),
            }
            for each in explanation.needed
        ],
        "fragments": list(explanation.fragments),
        "unknown": list(explanation.unknown),
    }


def _build_name(named: NamedValue) -> dict[str, object]:
    return {
        "name": named.name,
        "stands_for": named.stands_for,
        "file": named.file,
        "line": named.line,
        "uses": named.n_uses,
    }


def _build_item(item: Item) -> dict[str, object]:
    return {
        "kind": item.kind,
        "text": item.text,
        "role": item.role,
        "comment": item.comment,
        "file": item.file,
        "line": item.line,
        "items": [_build_item(each) for each in item.items],
    }
