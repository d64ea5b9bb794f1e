"""Reads OpenAI Responses: makes messages of items."""

from collections.abc import Mapping
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Role, Text, Thinking, Tool
from acdl_mkdocs.wire.answers import Answers, given_id
from acdl_mkdocs.wire.arguments import read_arguments
from acdl_mkdocs.wire.declared_tools import read_declared_tools
from acdl_mkdocs.wire.in_words import FORGEABLE, parts_without_status
from acdl_mkdocs.wire.media import attachment_at
from acdl_mkdocs.wire.opaque import is_reference, of_message, of_request, with_more
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.responses_calls import CALLS, CUSTOM, NAME, OUTPUTS, read_call, read_output
from acdl_mkdocs.wire.results import Read
from acdl_mkdocs.wire.settle import CONTINUES

NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_STORED = ("prompt", *CONTINUES)
"""Keys of requests that can do without any input."""
ITEMS: Mapping[str, Role] = {
    "compaction": "assistant",
    "item_reference": "assistant",
    "additional_tools": "system",
    "configuration_update": "system",
    "compaction_trigger": "system",
}
"""Items that are kept as they are, with the role of their message: what the model gave, and what it is told."""
_ROLES = ("system", "developer", "user", "assistant")


@dataclass(slots=True)
class Open:
    """The message of the assistant that items belong to, while they follow each other."""

    kinds: set[str] = field(default_factory=set)

    def begins(self, kind: str) -> bool:
        """Whether an item begins a message: all but calls do where text or calls stand already."""
        is_new = not self.kinds or (kind != "call" and bool(self.kinds & {"text", "call"}))
        self.kinds = {kind} if is_new else {*self.kinds, kind}
        return is_new


def read(body: Json) -> Read:
    """What a request body of Responses says."""
    place = Place(body)
    more = place.rest("model", "instructions", "input", "tools")
    messages: list[Message] = []
    if place.has("instructions"):
        messages.append(Message("system", (Text(place.at("instructions").text()),)))
    if isinstance(place.at("input").value, str):
        messages.append(Message("user", (Text(place.at("input").text()),)))
    elif place.has("input") or not any(place.has(key) for key in _STORED):
        reader = _Reader(Answers(is_continued=any(key in more for key in CONTINUES)), messages)
        for each in place.at("input").items():
            reader.item(each)
        reader.answers.end()
    tools, others = read_declared_tools(place, lambda each: each.at("type").value == "function", _read_tool)
    prompt = Prompt(tuple(messages), tools, settings=of_request(NAME, more | others))
    model = place.at("model").optional_text()
    return Read(prompt, tuple(place.problems), model)


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    more = place.rest("type", "name", "description", "parameters", "strict")
    if place.at("strict").value is not False:
        more["strict"] = place.at("strict").value
    parameters = place.at("parameters")
    schema = {} if parameters.value in (None, NO_ARGUMENTS) else parameters.object()
    described = place.at("description").optional_text()
    return Tool(place.at("name").name(names), described, schema, more=Opaque(NAME, more, "more") if more else None)


@dataclass(slots=True)
class _Reader:
    """Makes messages of items."""

    answers: Answers
    messages: list[Message]
    opened: Open = field(default_factory=Open)
    ids: dict[str, str] = field(default_factory=dict)
    """The id of each call by that of its item, for results that name the item."""

    def item(self, place: Place) -> None:
        kind = place.at("type").value
        if not isinstance(place.value, dict):
            place.expect("an item", 'write it as `{"role": "user", "content": "..."}`')
            self.add(Message("none", (Opaque(NAME, place.value),)))
        elif kind == "message" or (kind is None and place.has("role")):
            self.message(place)
        elif kind == "function_call":
            self.call(place)
        elif kind in ("function_call_output", CUSTOM):
            self.result(place, *(("type",) if kind != CUSTOM else ()))
        elif kind == "reasoning":
            self.reasoning(place)
        elif isinstance(kind, str) and kind in CALLS:
            self.other_call(place)
        elif isinstance(kind, str) and kind in OUTPUTS:
            self.add(Message("tool", read_output(place, self.ids, self.answers)))
        elif is_reference(place.value):  # which may do without a type
            self.other(place, "item_reference")
        elif isinstance(kind, str):
            self.other(place, kind)
        else:
            place.report("this item has no `type`", 'write it as `{"role": "user", "content": "..."}`')
            self.add(Message("none", (Opaque(NAME, place.value),)))

    def add(self, message: Message) -> None:
        """Put a message behind the others."""
        self.opened.kinds = set()
        self.messages.append(message)

    def answered(self, kind: str, parts: tuple[Part, ...], id: str | None = None) -> None:
        """Put parts of the assistant into its open message, or into a new one."""
        if self.opened.begins(kind):
            self.messages.append(Message("assistant", parts, id=id))
        else:
            opened = self.messages[-1]
            self.messages[-1] = Message("assistant", (*opened.parts, *parts), id=id or opened.id)

    def other_call(self, place: Place) -> None:
        """A call of another tool than a function, with its result where the item has that."""
        item_id, call_id = place.at("id").value, place.at("call_id").value
        if isinstance(item_id, str) and isinstance(call_id, str):
            self.ids[item_id] = call_id
        call, result = read_call(place, self.answers)
        self.answered("call", call)
        if result:
            self.add(Message("tool", result))

    def other(self, place: Place, kind: str) -> None:
        """An item that is kept as it is."""
        self.answers.is_continued |= kind == "item_reference"
        if kind not in ITEMS:
            place.advise(f"items of the type `{kind}` are not known: it is kept as it is", "check its name")
        if ITEMS.get(kind, "none") != "assistant":
            self.add(Message(ITEMS.get(kind, "none"), (Opaque(NAME, place.value),)))
        else:
            self.answered("item", (Opaque(NAME, place.value),))

    def message(self, place: Place) -> None:
        """A message with a role."""
        role = place.at("role").value
        self.answers.message(is_answer=role == "assistant")
        if role not in _ROLES:
            near = closest(role, _ROLES) if isinstance(role, str) else None
            cure = f"did you mean `{near}`?" if near else "write one of `developer`, `user`, `assistant`"
            place.at("role").report("this is no role of a message", cure)
            self.add(Message("none", (Opaque(NAME, place.value),)))
            return
        parts = _parts(place.at("content"))
        if role == "assistant":
            more = place.rest("type", "role", "content", "id", "status")
            if place.at("status").value not in (None, "completed"):
                more["status"] = place.at("status").value
            self.answered("text", (*parts, *of_message(NAME, more)), place.at("id").optional_text())
            return
        more = place.rest("type", "role", "content")
        is_lone = not self.messages and len(parts) == 1
        if role == "system" or (role == "developer" and is_lone):  # else it would be written as `instructions`
            more = {"role": role, **more}
        spoken: Role = "user" if role == "user" else "system"
        self.add(Message(spoken, (*parts, *of_message(NAME, more))))

    def call(self, place: Place) -> None:
        """A call of a function."""
        args, raw = read_arguments(place.at("arguments"))
        tool, call_id = place.at("name").text(), given_id(place.at("call_id"))
        self.answers.call(place, call_id, tool)
        more = place.rest("type", "call_id", "name", "arguments")
        self.answered("call", with_more(NAME, Call(tool, args, call_id, raw), more))

    def result(self, place: Place, *known: str) -> None:
        """What a function answered, or a custom tool."""
        call_id = given_id(place.at("call_id"), is_optional=True)
        tool = self.answers.result(place, call_id, place.at("name").optional_text())
        inside = [part for part in _parts(place.at("output")) if isinstance(part, Text | Attachment | Opaque)]
        parts, is_error = parts_without_status(tuple(inside))
        if list(parts) != inside:
            place.at("output").advise(*FORGEABLE)
        more = place.rest(*known, "call_id", "output")
        self.add(Message("tool", with_more(NAME, Output(parts, call_id, tool, is_error), more)))

    def reasoning(self, place: Place) -> None:
        """What the model thought; parts of it that are no words are kept as they are."""
        texts = [each.at("text").text() for each in place.at("summary").items()]
        more = place.rest("type", "summary", "encrypted_content")
        if len(texts) != 1:
            more["summary"] = place.at("summary").value
        signature = place.at("encrypted_content").optional_text()
        thinking = Thinking("\n\n".join(texts), signature, provider=NAME)
        self.answered("thinking", with_more(NAME, thinking, more))


def _parts(place: Place) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        return (Text(place.value),)
    if not isinstance(place.value, list):
        place.expect("a string or a list of parts", 'write it as `"..."`')
        return () if place.value is None else (Opaque(NAME, place.value),)
    return tuple(part for each in place.items() for part in _part(each))


def _part(place: Place) -> tuple[Part, ...]:
    kind = place.at("type").value
    if kind in ("input_text", "output_text"):
        more = place.rest("type", "text")
        if not more.get("annotations"):
            more.pop("annotations", None)
        return with_more(NAME, Text(place.at("text").text()), more)
    if kind == "input_image" and place.has("image_url"):
        more = place.rest("type", "image_url", "detail")
        if place.at("detail").value not in (None, "auto"):
            more["detail"] = place.at("detail").value
        image = attachment_at("image", place.at("image_url").text())
        return (Opaque(NAME, place.value),) if image is None else with_more(NAME, image, more)
    if kind == "input_file" and (place.has("file_data") or place.has("file_url")):
        key = "file_data" if place.has("file_data") else "file_url"
        name = place.at("filename").optional_text()
        found = attachment_at("file", place.at(key).text(), name)
        if found is not None and (found.data is not None) == (key == "file_data"):
            return with_more(NAME, found, place.rest("type", "filename", key))
    if not isinstance(kind, str):
        place.report("this part has no `type`", 'write it as `{"type": "input_text", "text": "..."}`')
    return (Opaque(NAME, place.value),)
