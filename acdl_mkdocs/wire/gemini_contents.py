"""Reads Gemini generateContent: contents of two roles, whose parts have no types but keys."""

import re
from collections.abc import Iterator
from itertools import groupby

from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Text, Thinking, Tool
from acdl_mkdocs.wire.answers import SPLIT, Answers, given_id
from acdl_mkdocs.wire.arguments import spelled
from acdl_mkdocs.wire.gemini_tools import CALLS as OWN_CALLS
from acdl_mkdocs.wire.gemini_tools import NAME, read_own_call, read_own_result
from acdl_mkdocs.wire.gemini_tools import RESULTS as OWN_RESULTS
from acdl_mkdocs.wire.known_messages import KnownMessages
from acdl_mkdocs.wire.media import is_base64, is_image
from acdl_mkdocs.wire.opaque import of_message, of_request, with_more
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Read
from acdl_mkdocs.wire.schema import json_schema

_ROLES = {"user": "user", "model": "assistant", "function": "user", None: "user"}
_KEYS = ("functionResponse", "functionCall", "thoughtSignature", "inlineData", "fileData", *OWN_CALLS, *OWN_RESULTS)


def read(body: Json, known: KnownMessages | None = None) -> Read:
    """What a request body of generateContent says."""
    place = Place(_camel(body, "systemInstruction", "generationConfig", "toolConfig", "safetySettings"))
    answers = Answers()
    more = place.rest("model", "systemInstruction", "contents", "tools")
    messages: list[Message] = []
    if place.has("systemInstruction"):
        messages.append(Message("system", _system(place.at("systemInstruction"))))
    known = known or KnownMessages()
    messages += known.read(_each(place.at("contents")), answers, lambda each, _: _read_content(each, answers))
    answers.end()
    tools: list[Tool] = []
    names: dict[str, str] = {}
    others: list[Json] = []
    for each in _each(place.at("tools")) if place.has("tools") else ():
        tool = _inside(each, "functionDeclarations")
        for declared in _each(tool.at("functionDeclarations")) if tool.has("functionDeclarations") else ():
            tools.append(_read_tool(declared, names))
        if rest := tool.rest("functionDeclarations"):
            others.append(rest)
    if others:
        place.at("tools").tell_order(others if tools else [])
        more["tools"] = others
    prompt = Prompt(tuple(messages), tuple(tools), settings=of_request(NAME, more))
    model = place.at("model").optional_text()
    return Read(prompt, tuple(place.problems), model)


def _camel(value: Json, *keys: str) -> Json:
    """An object whose keys are spelled as we know them: the provider takes `function_call` as well."""
    if not isinstance(value, dict):
        return value
    snakes = {re.sub("([A-Z])", lambda found: "_" + found[1].lower(), key): key for key in keys}
    return {snakes.get(key, key): inner for key, inner in value.items()}


def _inside(place: Place, *keys: str) -> Place:
    return Place(_camel(place.value, *keys), place.path, place.problems)


def _each(place: Place) -> Iterator[Place]:
    """The elements of a list; the provider takes a single object for a list of one."""
    if isinstance(place.value, dict) and place.value:
        yield place
    else:
        yield from place.items()


def _system(place: Place) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        place.expect("an object with `parts`", 'write it as `{"parts": [{"text": "..."}]}`')
        return (Text(place.value),)
    parts = [part for each in _each(place.at("parts")) for part in _read_part(each, Answers())]
    return (*parts, *of_message(NAME, place.rest("parts")))


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    place = _inside(place, "parametersJsonSchema")
    more = place.rest("name", "description", "parameters", "parametersJsonSchema")
    schema: dict[str, Json] = {}
    if place.has("parametersJsonSchema"):
        schema = place.at("parametersJsonSchema").object()
    elif place.has("parameters"):
        more["parameters"] = place.at("parameters").object()
        schema = json_schema(more["parameters"])
    described = place.at("description").optional_text()
    return Tool(place.at("name").name(names), described, schema, more=Opaque(NAME, more, "more") if more else None)


def _read_content(place: Place, answers: Answers) -> Iterator[Message]:
    """The messages that one content is: a content of the user may hold results of tools."""
    role = place.at("role").value
    if not isinstance(place.value, dict) or not (role is None or isinstance(role, str)) or role not in _ROLES:
        where = place.at("role") if isinstance(place.value, dict) else place
        where.report(
            "this is no content" if where is place else "this is no role of a content", "write `user` or `model`"
        )
        yield Message("none", (Opaque(NAME, place.value),))
        return
    more = place.rest("role", "parts")
    parts = [_part_of(each) for each in _each(place.at("parts"))]
    groups = groupby(parts, key=_result_key) if parts else [("", [])]
    if len({each.has("functionResponse") for each in parts}) == 2:
        place.advise(*SPLIT)
    for key, group in groups:
        keys, more = of_message(NAME, more), {}
        if key:
            read_one = read_own_result if key in OWN_RESULTS else _read_result
            for number, each in enumerate(group):
                yield Message("tool", (*read_one(each, answers), *(keys if number == 0 else ())))
        else:
            answers.message(is_answer=role == "model")
            read = [part for each in group for part in _read_part(each, answers)]
            yield Message("assistant" if role == "model" else "user", (*read, *keys))


def _part_of(place: Place) -> Place:
    """A part whose keys are spelled as we know them, those of tools that the provider runs also inside."""
    place = _inside(place, *_KEYS)
    for key in (*OWN_CALLS, *OWN_RESULTS):
        if place.has(key) and isinstance(place.value, dict):
            place = Place({**place.value, key: _camel(place.value[key], "toolType")}, place.path, place.problems)
    return place


def _result_key(place: Place) -> str:
    """The key under which a part has a result of a tool; else nothing."""
    return next((key for key in ("functionResponse", *OWN_RESULTS) if place.has(key)), "")


def _read_result(place: Place, answers: Answers) -> tuple[Part, ...]:
    result = place.at("functionResponse")
    said, call_id = result.at("name").text(), given_id(result.at("id"), is_optional=True)
    tool = answers.result(place, call_id, said)
    parts, is_error = _read_response(result.at("response"))
    for each in _each(result.at("parts")) if result.has("parts") else ():
        found = _read_media(_inside(each, *_KEYS))
        parts = (*parts, *found)
    more, inner = place.rest("functionResponse"), result.rest("id", "name", "response", "parts")
    if inner:
        more["functionResponse"] = inner
    if said != tool:
        place.advise(f"the result says that it is of `{said}`, its call is of `{tool}`", "give it the name of its call")
    return with_more(NAME, Output(parts, call_id, said, is_error), more)


def _read_response(place: Place) -> tuple[tuple[Text | Attachment | Opaque, ...], bool]:
    """The texts of a response, and whether it is an error; another object is kept beside its text."""
    match place.object():
        case {"output": str(text), **rest} if not rest:
            return (Text(text),), False
        case {"error": str(text), **rest} if not rest:
            return (Text(text),), True
        case {"output": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), False
        case {"error": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), True
        case other:
            return (Text(spelled(other)), Opaque(NAME, other, "instead")), False


def _read_media(place: Place) -> tuple[Attachment | Opaque, ...]:
    data, file = _inside(place.at("inlineData"), "mimeType"), _inside(place.at("fileData"), "mimeType", "fileUri")
    if isinstance(said := data.at("data").value, str) and is_base64(said):
        mime = data.at("mimeType").optional_text()
        found = Attachment("file", mime=mime, data=said)
        key, inner = "inlineData", data.rest("mimeType", "data")
    elif file.has("fileUri"):
        found = Attachment("file", mime=file.at("mimeType").optional_text(), href=file.at("fileUri").text())
        key, inner = "fileData", file.rest("mimeType", "fileUri")
    else:
        return (Opaque(NAME, place.value),)
    if is_image(found):
        found = Attachment("image", mime=found.mime, data=found.data, href=found.href)
    more = place.rest(key)
    if inner:
        more[key] = inner
    return (found, Opaque(NAME, more, "more")) if more else (found,)


def _read_part(place: Place, answers: Answers) -> tuple[Part, ...]:
    place = _part_of(place)
    if isinstance(place.value, str):
        place.expect("a part", 'write it as `{"text": "..."}`')
        return (Text(place.value),)
    if place.has("functionCall"):
        call = place.at("functionCall")
        tool, call_id = call.at("name").text(), given_id(call.at("id"), is_optional=True)
        answers.call(place, call_id, tool)
        args = call.at("args").object() if call.has("args") else {}
        more, inner = place.rest("functionCall", "thoughtSignature"), call.rest("id", "name", "args")
        if inner:
            more["functionCall"] = inner
        signature = place.at("thoughtSignature").optional_text()
        return with_more(NAME, Call(tool, args, call_id, signature=signature), more)
    if any(place.has(key) for key in OWN_CALLS):
        return read_own_call(place, answers)
    if place.has("text") and place.at("thought").value is True:
        signature = place.at("thoughtSignature").optional_text()
        more = place.rest("text", "thought", "thoughtSignature")
        return with_more(NAME, Thinking(place.at("text").text(), signature, provider=NAME), more)
    if place.has("text"):
        return with_more(NAME, Text(place.at("text").text()), place.rest("text"))
    if not isinstance(place.value, dict):
        place.expect("a part", 'write it as `{"text": "..."}`')
    return _read_media(place)
