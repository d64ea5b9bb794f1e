"""Reads Anthropic Messages: `system` beside messages of two roles, whose content is a list of blocks."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby

from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Role, Text, Thinking, Tool
from acdl_mkdocs.wire.answers import SPLIT, Answers, given_id
from acdl_mkdocs.wire.anthropic_blocks import BLOCKS, CALLS, KEPT, RESULTS
from acdl_mkdocs.wire.anthropic_tools import NAME, read_value
from acdl_mkdocs.wire.claude import system_at_place
from acdl_mkdocs.wire.declared_tools import read_declared_tools
from acdl_mkdocs.wire.known_messages import KnownMessages
from acdl_mkdocs.wire.media import is_base64
from acdl_mkdocs.wire.opaque import of_message, of_request, with_more
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Read

NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_READ = ("image", "document", "tool_result", *RESULTS)
"""Blocks that are kept only where they are not what they should be."""
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def read(body: Json, known: KnownMessages | None = None) -> Read:
    """What a request body of Messages says."""
    place = Place(body)
    answers = Answers()
    more = place.rest("model", "system", "messages", "tools")
    messages: list[Message] = []
    if place.has("system"):
        messages.append(Message("system", _parts(place.at("system"), answers)))
    said = list(place.at("messages").items())
    model = place.at("model").optional_text()
    at_place = system_at_place(model, [each.at("role").value for each in said])
    known = known or KnownMessages()
    messages += known.read(said, answers, partial(_read_message, answers), at_place)
    answers.end()
    tools, others = read_declared_tools(
        place, lambda each: each.at("type").value in (None, "custom") and each.has("input_schema"), _read_tool
    )
    prompt = Prompt(tuple(messages), tools, settings=of_request(NAME, more | others))
    return Read(prompt, tuple(place.problems), model)


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    schema = place.at("input_schema").object()
    more = place.rest("name", "description", "input_schema")
    return Tool(
        place.at("name").name(names),
        place.at("description").optional_text(),
        {} if schema == NO_ARGUMENTS else schema,
        more=Opaque(NAME, more, "more") if more else None,
    )


def _read_message(answers: Answers, place: Place, is_at_place: bool) -> Iterator[Message]:
    """The messages that one of the body is: a message of the user may begin with results of tools."""
    role = place.at("role").value
    if not isinstance(place.value, dict) or not isinstance(role, str) or role not in _ROLES:
        near = closest(role, _ROLES) if isinstance(role, str) else None
        cure = f"did you mean `{near}`?" if near else "write `user` or `assistant`"
        where = place.at("role") if isinstance(place.value, dict) else place
        where.report("this is no role of a message" if where is not place else "this is no message", cure)
        yield Message("none", (Opaque(NAME, place.value),))
        return
    more = place.rest("role", "content")
    if role == "system" and not is_at_place:  # so that it is written there, and not as text of a user message
        more = {"role": "system", **more}
    content = place.at("content")
    if not isinstance(content.value, list):
        answers.message(is_answer=role == "assistant")
        yield Message(_ROLES[role], (*_said(content), *of_message(NAME, more)))
        return
    blocks = list(content.items())
    groups = groupby(blocks, key=_result_type) if blocks else [("", [])]
    if len({_result_type(each) == "tool_result" for each in blocks}) == 2:
        place.advise(*SPLIT)
    for result, group in groups:
        keys, more = of_message(NAME, more), {}
        if result:
            for number, each in enumerate(group):
                yield Message("tool", (*_read_result(each, answers), *(keys if number == 0 else ())))
        else:
            answers.message(is_answer=role == "assistant")
            parts = [part for each in group for part in _part(each, answers)]
            yield Message(_ROLES[role], (*parts, *keys))


def _result_type(place: Place) -> str:
    """The type of a block that is a result of a tool; else nothing."""
    kind = place.at("type").value
    return kind if isinstance(kind, str) and (kind == "tool_result" or kind in RESULTS) else ""


def _read_result(place: Place, answers: Answers) -> tuple[Part, ...]:
    kind, call_id = _result_type(place), given_id(place.at("tool_use_id"))
    tool = answers.result(place, call_id, RESULTS.get(kind))
    if kind not in ("tool_result", BLOCKS):
        more = place.rest("tool_use_id")
        words, is_error = read_value(more)
        return with_more(NAME, Output(words, call_id, tool, is_error), more)
    content = _parts(place.at("content"), answers) if place.has("content") else ()
    inside = tuple(part for part in content if isinstance(part, Text | Attachment | Opaque))
    known = ("tool_use_id", "content", "is_error")
    more = place.rest(*known, *(("type",) if kind == "tool_result" else ()))
    return with_more(NAME, Output(inside, call_id, tool, place.at("is_error").value is True), more)


def _said(place: Place) -> tuple[Part, ...]:
    """Content that is a string; anything else is kept."""
    if isinstance(place.value, str):
        return (Text(place.value),)
    place.expect("a string or a list of blocks", 'write it as `"..."`')
    return () if place.value is None else (Opaque(NAME, place.value),)


def _parts(place: Place, answers: Answers) -> tuple[Part, ...]:
    if not isinstance(place.value, list):
        return _said(place)
    return tuple(part for each in place.items() for part in _part(each, answers))


def _part(place: Place, answers: Answers) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        place.expect("a block", 'write it as `{"type": "text", "text": "..."}`')
        return (Text(place.value),)
    match place.at("type").value:
        case "text":
            return with_more(NAME, Text(place.at("text").text()), place.rest("type", "text"))
        case "thinking":
            signature = place.at("signature").optional_text()
            thinking = Thinking(place.at("thinking").text(), signature, provider=NAME)
            return with_more(NAME, thinking, place.rest("type", "thinking", "signature"))
        case "redacted_thinking":
            thinking = Thinking(place.at("data").text(), is_redacted=True, provider=NAME)
            return with_more(NAME, thinking, place.rest("type", "data"))
        case "tool_use" | "server_tool_use" | "mcp_tool_use" as kind:
            call = Call(place.at("name").text(), place.at("input").object(), given_id(place.at("id")))
            answers.call(place, call.id, call.tool)
            known = ("id", "name", "input", *(("type",) if kind not in CALLS else ()))
            return with_more(NAME, call, place.rest(*known))
        case "image" | "document" if (attachment := _read_media(place)) is not None:
            return with_more(NAME, attachment, place.rest("type", "source", "title"))
        case str() as kind:
            if kind not in (*_READ, *KEPT):
                place.advise(f"blocks of the type `{kind}` are not known: it is kept as it is", "check its name")
            return (Opaque(NAME, place.value),)
        case _:
            place.report("this block has no `type`", 'write it as `{"type": "text", "text": "..."}`')
            return (Opaque(NAME, place.value),)


def _read_media(place: Place) -> Attachment | None:
    """An image or a document, where its source is one that every provider knows."""
    source = place.at("source")
    kind = "image" if place.at("type").value == "image" else "file"
    name, mime = place.at("title").value, source.at("media_type").value
    if not (name is None or (isinstance(name, str) and kind == "file")) or not isinstance(mime, str | None):
        return None
    match source.value:
        case {"type": "base64", "media_type": str(), "data": str(data), **rest} if not rest and is_base64(data):
            return Attachment(kind, name=name, mime=mime, data=data)
        case {"type": "url", "url": str(url), **rest} if not rest and not url.startswith("data:"):
            return Attachment(kind, name=name, href=url)
        case {"type": "text", "media_type": str(), "data": str(text), **rest} if not rest and kind == "file":
            return Attachment(kind, name=name, mime=mime, text=text)
    return None
