"""What a state says that goes to a model beside its messages: tools that it may call, and memory."""

from collections.abc import Iterator
from typing import Literal, cast

from acdl_mkdocs.foundation.yaml.nodes import Pairs
from acdl_mkdocs.prompt import Memory, Tool
from acdl_mkdocs.states.entries import Entries, Entry, shown
from acdl_mkdocs.states.special_values import flag_of, json_of

_TOOL = ("name", "alias", "description", "parameters", "trigger")
_KINDS = ("fact", "summary", "content")


def tools_of(entries: Entries, entry: Entry | None) -> Iterator[Tool]:
    """The tools of `tools: [{name, description, parameters}]`, each name once."""
    seen: set[str] = set()
    for each in (entries.items(entry) or ()) if entry is not None else ():
        known = entries.known(each, _TOOL, needed=("name",))
        name, alias, description = (entries.text(known[key]) if key in known else None for key in _TOOL[:3])
        if name is None:
            continue
        if name in seen:
            entries.say(known["name"], f"is `{name}`, as that of a tool before it", "give it another name")
        seen.add(name)
        given = known.get("parameters")
        parameters = json_of(entries, given) if given is not None else None
        if given is not None and parameters is not None and not isinstance(parameters, dict):
            entries.say(given, f"is {shown(given.node)}, and a JSON Schema is needed", _SCHEMA)
        schema = parameters if isinstance(parameters, dict) else {}
        yield Tool(name, description, schema, alias, has_trigger=flag_of(entries, known.get("trigger")))


_SCHEMA = "write `parameters: {type: object, properties: {…}}`"


def memory_of(entries: Entries, entry: Entry | None) -> Iterator[Memory]:
    """What is remembered: `memory: [text]`, or `{text, kind, key}` for each."""
    for each in (entries.items(entry) or ()) if entry is not None else ():
        if not isinstance(each.node, Pairs):
            text = entries.text(each)
            if text is not None:
                yield Memory(text)
            continue
        known = entries.known(each, ("text", "kind", "key"), needed=("text",))
        text = entries.text(known["text"]) if "text" in known else None
        kind = entries.choice(known["kind"], _KINDS) if "kind" in known else None
        key = entries.text(known["key"]) if "key" in known else None
        yield Memory(text or "", cast(Literal["fact", "summary", "content"], kind or "fact"), key)
