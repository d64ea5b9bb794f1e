"""The shapes of what the roles reply, as JSON Schema.

`ANSWER`, `REFLECTION`, `DELTA` and `OPINION` are sent: servers that hold a model to a grammar let it write exactly
these keys, in this order, so they list every key that the prompts name, the reasoning first, and are whole enough for
strict modes.
`ACCEPTED_…` say what is enough of a reply, for servers that hold a model to nothing: `reply_values` reads the rest.
"""

from collections.abc import Mapping
from typing import get_args

from acdl_mkdocs.playbook.bullets import TagName
from acdl_mkdocs.playbook.decisions import Opinion
from acdl_mkdocs.prompts.prompt import Json

CURATOR_OPERATIONS = ("ADD", "UPDATE", "REMOVE", "SECTION")
"""What a model may propose. Tags are the reflector's, once a sample; near lessons are for a judge, and pinning and
reviving for people."""

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_TEXT_OR_NOT: Json = {"type": ["string", "null"]}


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ANSWER: Mapping[str, Json] = _object({"reasoning": _TEXT, "bullet_ids": _TEXTS, "final_answer": _TEXT})
"""Of the generator."""

NOTES: Mapping[str, Json] = _object({"reasoning": _TEXT, "notes": _TEXT})
"""Of what rewrites notes as a whole, which a playbook is compared with."""

REFLECTION: Mapping[str, Json] = _object(
    {
        "reasoning": _TEXT,
        "error_identification": _TEXT,
        "root_cause_analysis": _TEXT,
        "correct_approach": _TEXT,
        "key_insight": _TEXT,
        "bullet_tags": {
            "type": "array",
            "items": _object({"id": _TEXT, "tag": {"type": "string", "enum": list(get_args(TagName))}}),
        },
        "is_final": {"type": "boolean"},
    }
)
"""Of the reflector."""

OPERATION: Mapping[str, Json] = _object(
    {
        "type": {"type": "string", "enum": list(CURATOR_OPERATIONS)},
        "section": _TEXT_OR_NOT,
        "content": _TEXT_OR_NOT,
        "bullet_id": _TEXT_OR_NOT,
        "id": _TEXT_OR_NOT,
        "title": _TEXT_OR_NOT,
        "reason": _TEXT_OR_NOT,
    }
)
"""Of the curator, one operation of any type: a key that the type does not have is null."""

DELTA: Mapping[str, Json] = _object({"reasoning": _TEXT, "operations": {"type": "array", "items": dict(OPERATION)}})
"""Of the curator."""

OPINION: Mapping[str, Json] = _object({"reason": _TEXT, "verdict": {"type": "string", "enum": list(get_args(Opinion))}})
"""Of the judge of two lessons."""

_WORDS: Json = {"type": ["string", "number", "boolean", "array", "null"]}
ACCEPTED_ANSWER: Mapping[str, Json] = {
    "type": "object",
    "properties": {"reasoning": _WORDS, "final_answer": _WORDS},
    "required": ["final_answer"],
}
"""What the generator has to say."""

ACCEPTED_REFLECTION: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "reasoning": _WORDS,
        "error_identification": _WORDS,
        "root_cause_analysis": _WORDS,
        "correct_approach": _WORDS,
        "key_insight": _WORDS,
        "bullet_tags": {"type": ["array", "object", "null"]},
    },
    "required": ["key_insight"],
}
"""What the reflector has to say."""

ACCEPTED_DELTA: Mapping[str, Json] = {
    "type": "object",
    "properties": {"reasoning": _WORDS, "operations": {"type": ["array", "null"]}},
    "required": ["operations"],
}
"""What the curator has to say; `proposals` looks at each operation."""

ACCEPTED_NOTES: Mapping[str, Json] = {"type": "object", "required": ["notes"]}
"""Enough of rewritten notes."""
