"""Calls whose `x:raw`, the spelling of a provider for the arguments, differs from the arguments shown."""

import json
from collections.abc import Iterator, Mapping

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.prompts.pml.read import ReadPml
from acdl_mkdocs.prompts.prompt import Call, Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json


def is_spelling(call: Call) -> bool:
    """Return whether the spelling of a call's arguments matches them; text that is not a JSON object does not."""
    return call.args_raw is None or _sort_keys(_read_arguments(call.args_raw)) == _sort_keys(dict(call.args))


def list_spelling_problems(document: ReadPml) -> Iterator[Diagnostic]:
    """Find calls whose spelling differs: people read the arguments, but a provider would get the spelling."""
    messages = document.prompt.messages if document.prompt is not None else ()
    for number, message in enumerate(messages):
        for at, part in enumerate(message.parts):
            if isinstance(part, Call) and not is_spelling(part):
                yield warning(
                    "other-spelling",
                    f"`x:raw` has different arguments from the call of `{part.tool}`",
                    Label(document.places[f"messages[{number}].parts[{at}]"], "has other arguments"),
                    help="remove `x:raw`, or write its values as the arguments",
                )


def _read_arguments(raw: str) -> dict[str, Json]:
    try:
        value = strict_json(raw)
    except JsonFault:
        return {}
    return value if isinstance(value, dict) else {}


def _sort_keys(value: Mapping[str, Json]) -> str:
    return json.dumps(value, sort_keys=True)
