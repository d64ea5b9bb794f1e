"""Blocks of tools that Anthropic runs itself: web search, running code, connected servers.

The call and its result are blocks of one message of the model. They are read as a call and a result; the type stays
beside them, and the content of a result where its words alone would be written differently.
"""

from collections.abc import Mapping

from acdl_mkdocs.prompt import Call, Json, Output, Text
from acdl_mkdocs.wire.anthropic_blocks import CALLS, RESULTS
from acdl_mkdocs.wire.arguments import spelled, value_of
from acdl_mkdocs.wire.sent import Piece

NAME = "anthropic"
_TYPE = "type"


def marker(piece: Piece) -> str | None:
    """The key that shows that a piece is of a tool that the provider runs."""
    said = str(piece.more.get(_TYPE))
    is_call = isinstance(piece.part, Call) and said in CALLS
    return _TYPE if is_call or (isinstance(piece.part, Output) and said in RESULTS) else None


def read_value(more: dict[str, Json]) -> tuple[tuple[Text, ...], bool]:
    """What the content of a result says, and whether it is an error; it leaves the keys where the words say it all."""
    value = more.get("content")
    if value is None:
        return (), False
    text = value if isinstance(value, str) else spelled(value)
    if value_of(text) == value:
        del more["content"]
    is_error = isinstance(value, dict) and str(value.get(_TYPE)).endswith("_error")
    return (Text(text),), is_error


def written_value(output: Output, more: Mapping[str, Json]) -> dict[str, Json]:
    """The content of a result, as the provider gave it where that says the same."""
    text = "\n".join(part.text for part in output.parts if isinstance(part, Text))
    given = more.get("content")
    if given is not None and text == (given if isinstance(given, str) else spelled(given)):
        return {"content": given}
    return {"content": value_of(text)} if output.parts else {}
