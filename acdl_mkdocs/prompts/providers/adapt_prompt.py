"""`adapt_prompt()`: a prompt adapted to the limits of a provider, with names that it accepts."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.prompts.pml.raw_arguments import is_spelling
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.providers.opaque import is_reference, list_message_keys, select_pieces
from acdl_mkdocs.prompts.providers.pair_calls import pair_calls
from acdl_mkdocs.prompts.providers.results import AdaptedPrompt, Loss, ProviderLimits, ProviderMessage, ProviderPart
from acdl_mkdocs.prompts.providers.tagged_text import describe_part, write_memory

ALIAS = "x-alias"
"""Keyword of a schema for the long name of a parameter."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def use_long_names(prompt: Prompt) -> Prompt:
    """Return a prompt whose calls, results and parameters use long names; its tools keep both names."""
    if not any(tool.alias is not None or ALIAS in str(tool.parameters) for tool in prompt.tools):
        return prompt
    tools = index_by_name(prompt.tools)

    def rename_tool(part: Part) -> Part:
        tool = tools.get(part.tool) if isinstance(part, (Call, Output)) and part.tool is not None else None
        if tool is None or not isinstance(part, (Call, Output)):
            return part
        called = replace(part, tool=tool.alias or tool.name)
        return _find_tool_long_keys(called, tool) if isinstance(called, Call) else called

    messages = [replace(each, parts=tuple(map(rename_tool, each.parts))) for each in prompt.messages]
    longer = tuple(replace(each, parameters=_rename_schema(each.parameters)) for each in prompt.tools)
    return replace(prompt, messages=tuple(messages), tools=longer)


def find_long_keys(tool: Tool) -> dict[str, str]:
    """Return the parameters of a tool that have long names, also nested ones, with those names."""
    return _find_long_names(tool.parameters)


def _find_long_names(schema: Json | Mapping[str, Json]) -> dict[str, str]:
    if not isinstance(schema, Mapping):
        return {}
    long_names = _find_property_names(schema)
    properties = schema.get("properties")
    inner = [schema.get("items"), *(properties.values() if isinstance(properties, dict) else ())]
    for each in inner:
        long_names |= _find_long_names(each)
    return long_names


def _find_property_names(schema: Mapping[str, Json]) -> dict[str, str]:
    """Return the long names of the properties of an object, if they are unique."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    aliases = [(key, each.get(ALIAS) if isinstance(each, dict) else None) for key, each in properties.items()]
    names = {key: alias for key, alias in aliases if isinstance(alias, str) and _NAME.fullmatch(alias)}
    every = [names.get(key, key) for key in properties]
    return {key: alias for key, alias in names.items() if every.count(alias) == 1} if names else {}


def _rename_schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema with long names of properties, without the keyword for them."""
    names = _find_property_names(schema)
    renamed: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            renamed[key] = {names.get(name, name): _rename_inner(each) for name, each in value.items()}
        elif key == "required" and isinstance(value, list):
            renamed[key] = [names.get(each, each) if isinstance(each, str) else each for each in value]
        elif key != ALIAS:
            renamed[key] = _rename_inner(value) if key == "items" else value
    return renamed


def _rename_inner(schema: Json) -> Json:
    return _rename_schema(schema) if isinstance(schema, dict) else schema


def _find_tool_long_keys(call: Call, tool: Tool) -> Call:
    args = _rename_arguments(dict(call.args), tool.parameters)
    return call if args == call.args or not isinstance(args, dict) else replace(call, args=args, args_raw=None)


def _rename_arguments(value: Json, schema: Json | Mapping[str, Json]) -> Json:
    """Return arguments with the long names of their parameters."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, list):
        return [_rename_arguments(each, schema.get("items")) for each in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    names = _find_property_names(schema)
    return {names.get(key, key): _rename_arguments(each, properties.get(key)) for key, each in value.items()}


CONTINUES = ("previous_response_id", "conversation")
"""Keys of a request whose earlier messages are stored by the provider."""


def adapt_prompt(prompt: Prompt, limits: ProviderLimits) -> AdaptedPrompt:
    """Adapt a prompt to the limits of a provider."""
    losses: list[Loss] = []
    settings = _collect_settings(prompt, limits, losses)
    _lose_prompt_fields(prompt, limits, losses)
    _lose_tool_fields(prompt, limits, losses)
    prompt = _drop_false_spellings(prompt, losses)
    prompt = use_long_names(prompt)
    names = _choose_tool_names(prompt, limits, losses)
    sent = [
        each
        for number, message in enumerate(prompt.messages)
        for each in _split_message(_rename_tools(message, names), f"messages[{number}]", limits, losses)
    ]
    is_continued = any(key in settings for key in CONTINUES) or (
        limits.has_references and _has_references(prompt, limits)
    )
    paired = pair_calls(sent, limits, losses, is_continued=is_continued)
    messages = tuple(_prepend_memory(prompt, paired))
    return AdaptedPrompt(limits.provider, messages, prompt.tools, settings, losses, has_memory=bool(prompt.memory))


def _has_references(prompt: Prompt, limits: ProviderLimits) -> bool:
    """Return whether a message is only a reference to one that the provider has."""
    opaque_parts = (part for each in prompt.messages for part in each.parts if isinstance(part, Opaque))
    return any(
        part.provider == limits.provider and part.place == "part" and is_reference(part.json) for part in opaque_parts
    )


def _drop_false_spellings(prompt: Prompt, losses: list[Loss]) -> Prompt:
    """Remove spellings of arguments that differ from the call, because people read the call."""

    def drop_spelling(part: Part, path: str) -> Part:
        if not isinstance(part, Call) or is_spelling(part):
            return part
        sentence = f"the raw arguments of `{part.tool}` differ from those of the call: they are not sent"
        losses.append(Loss(path, sentence, "remove `x:raw`, or write its values as the arguments"))
        return replace(part, args_raw=None)

    messages = [
        replace(
            each,
            parts=tuple(drop_spelling(part, f"messages[{number}].parts[{at}]") for at, part in enumerate(each.parts)),
        )
        for number, each in enumerate(prompt.messages)
    ]
    return replace(prompt, messages=tuple(messages))


def _prepend_memory(prompt: Prompt, sent: list[ProviderMessage]) -> list[ProviderMessage]:
    """Return the messages with memory before the instructions."""
    if not prompt.memory:
        return sent
    piece = ProviderPart("memory", Text(write_memory(prompt.memory)))
    if sent and sent[0].role == "system":
        return [replace(sent[0], pieces=(piece, *sent[0].pieces)), *sent[1:]]
    return [ProviderMessage("memory", "system", (piece,)), *sent]


def _collect_settings(prompt: Prompt, limits: ProviderLimits, losses: list[Loss]) -> dict[str, Json]:
    """Return this provider's own keys of the request; those of others are lost."""
    settings: dict[str, Json] = {}
    for number, each in enumerate(prompt.settings):
        if isinstance(each.json, dict) and each.provider == limits.provider:
            settings.update(each.json)
        elif each.json:
            keys = ", ".join(f"`{key}`" for key in each.json) if isinstance(each.json, dict) else "it"
            sentence = f"settings of `{each.provider}` are not sent: {keys}"
            losses.append(
                Loss(f"settings[{number}]", sentence, f"set what you need with the keys of `{limits.provider}`")
            )
    return settings


def _lose_prompt_fields(prompt: Prompt, limits: ProviderLimits, losses: list[Loss]) -> None:
    """Report once what no request of a provider can hold."""
    if prompt.id is not None or prompt.topic is not None:
        losses.append(Loss("", "id and topic of the conversation are not sent", "store them outside the request"))
    if prompt.memory_id is not None:
        losses.append(Loss("", "the id of the memory is not sent", "store it outside the request"))
    if any(message.turn is not None for message in prompt.messages):
        losses.append(Loss("messages", "the turn numbers are not sent", "store them outside the request"))
    if not limits.has_message_ids and any(message.id is not None for message in prompt.messages):
        losses.append(Loss("messages", "the ids of messages are not sent", "store them outside the request"))
    parts = [part for message in prompt.messages for part in message.parts]
    if not limits.has_signatures and any(isinstance(part, Call) and part.signature is not None for part in parts):
        losses.append(
            Loss("messages", "the signatures of calls are not sent", "send the prompt to `gemini`, or leave them out")
        )
    if any(isinstance(part, Output) and part.mime is not None for part in parts):
        losses.append(
            Loss("messages", "the media types of results are not sent", "write them in the text of the results")
        )
    if prompt.memory:
        cure = "if the tags are unwanted, write the memory in a message"
        losses.append(Loss("memory", "memory is sent as text in `<memory>` tags before the instructions", cure))


def _lose_tool_fields(prompt: Prompt, limits: ProviderLimits, losses: list[Loss]) -> None:
    """Report properties of tools that the provider does not accept."""
    for number, tool in enumerate(prompt.tools):
        path, name = f"tools[{number}]", tool.alias or tool.name
        if tool.alias is not None and tool.alias != tool.name:
            losses.append(
                Loss(path, f"`{tool.name}` is sent under its alias `{name}`", "to send the short name, remove `alias`")
            )
        if not re.fullmatch(limits.tool_pattern, name):
            cure = f"use a name that matches `{limits.tool_pattern}`"
            losses.append(Loss(path, f"the provider does not accept `{name}` as a tool name", cure))
        if ALIAS in str(tool.parameters):
            pairs = [f"`{key}` as `{long}`" for key, long in find_long_keys(tool).items()]
            sentence = (
                f"parameters of `{name}` are sent under their aliases: {', '.join(pairs)}"
                if pairs
                else f"`{ALIAS}` of a parameter is not sent"
            )
            losses.append(Loss(path, sentence, "to send the short name, remove `alias` from the parameter"))
        if tool.has_trigger:
            sentence = f"the trigger `[#{tool.name}: ...]` of `{name}` is not sent"
            losses.append(
                Loss(
                    path,
                    sentence,
                    "convert with `--triggers`, so that a trigger in the last message sets the tool choice",
                )
            )
        if tool.more is not None and tool.more.provider != limits.provider:
            sentence = f"keys of `{name}` that only `{tool.more.provider}` understands are not sent"
            losses.append(Loss(path, sentence, f"set what you need with the keys of `{limits.provider}`"))


def _choose_tool_names(prompt: Prompt, limits: ProviderLimits, losses: list[Loss]) -> dict[str, str]:
    """Return acceptable names for tools that are called and not declared."""
    declared = {tool.alias or tool.name for tool in prompt.tools} | {tool.name for tool in prompt.tools}
    called: dict[str, str] = {}
    for number, message in enumerate(prompt.messages):
        for at, part in enumerate(message.parts):
            if isinstance(part, (Call, Output)) and part.tool is not None and part.tool not in declared:
                called.setdefault(part.tool, f"messages[{number}].parts[{at}]")
    aliases: dict[str, str] = {}
    taken, counts = {*declared, *called}, Counter[str]()
    for name, path in called.items():
        if re.fullmatch(limits.tool_pattern, name):
            continue
        alias = _choose_tool_name(name, limits, taken, counts)
        aliases[name] = alias
        sentence = f"the provider does not accept `{name}` as a tool name: it is sent as `{alias}`"
        losses.append(Loss(path, sentence, f"use a name that matches `{limits.tool_pattern}`"))
    return aliases


def _choose_tool_name(name: str, limits: ProviderLimits, taken: set[str], counts: Counter[str]) -> str:
    """Return a similar name that no other tool has.

    Parameters:
        name: The name of the tool.
        limits: The requirements of the provider.
        taken: Names in use; this one is added.
        counts: How often each name was made.
    """
    valid = re.sub("[^A-Za-z0-9_-]+", "_", name)[:60]
    if not re.fullmatch(limits.tool_pattern, valid):
        valid = f"tool_{valid}"[:60]
    free = valid
    counts[valid] += 1
    while free in taken:
        counts[valid] += 1
        free = f"{valid[: 59 - len(str(counts[valid]))]}_{counts[valid]}"
    taken.add(free)
    return free


def _rename_tools(message: Message, names: dict[str, str]) -> Message:
    """Return a message in which calls and results use the accepted names of tools."""

    def renamed(part: Part) -> Part:
        if isinstance(part, (Call, Output)) and part.tool is not None:
            return replace(part, tool=names.get(part.tool, part.tool))
        return part

    return replace(message, parts=tuple(renamed(part) for part in message.parts))


def _split_message(
    message: Message, path: str, limits: ProviderLimits, losses: list[Loss]
) -> Iterator[ProviderMessage]:
    """Split a message into messages of one role."""
    other_keys = list_message_keys(message.parts, f"{path}.parts", limits.provider, losses)
    is_whole = message.role == "none" and len(message.parts) == 1
    pieces = select_pieces(message.parts, f"{path}.parts", limits.provider, losses, is_message=is_whole)
    if is_whole and pieces and isinstance(pieces[0].part, Opaque):
        yield ProviderMessage(path, "none", tuple(pieces))
        return
    if not pieces and message.parts and not other_keys and message.role != "tool":
        return  # only data for other providers
    role = message.role
    if role == "none":
        role = "user"
        losses.append(Loss(path, "text without a role is sent as a user message", "give the message a role"))
    if message.name is not None and not (limits.has_names and role != "tool"):
        losses.append(Loss(path, f"the name `{message.name}` of the speaker is not sent", "write the name in the text"))
    if role == "tool" and not any(isinstance(piece.part, Output) for piece in pieces):
        pieces = [_make_output(path, message.parts, limits)]
    name = message.name if limits.has_names and role != "tool" else None
    own_id: str | None = message.id
    for group_role, group in list(_group_pieces(pieces, role, losses)) or [(role, [])]:
        if group_role == role:
            yield ProviderMessage(path, group_role, tuple(group), name, own_id, other_keys)
            own_id, other_keys = None, {}
        else:
            yield ProviderMessage(path, group_role, tuple(group))


def _make_output(path: str, parts: tuple[Part, ...], limits: ProviderLimits) -> ProviderPart:
    """Return a plain-text message of a tool as one result."""
    own = [part for part in parts if not isinstance(part, Opaque) or part.provider == limits.provider]
    return ProviderPart(path, Output(tuple(part for part in own if isinstance(part, (Text, Attachment, Opaque)))))


def _find_role(part: Part, role: Role) -> Role:
    """Return the role whose messages a part belongs to."""
    if isinstance(part, Output):
        return "tool"
    if isinstance(part, (Call, Thinking)):
        return "assistant"
    return "user" if role == "tool" else role


def _group_pieces(
    pieces: list[ProviderPart], role: Role, losses: list[Loss]
) -> Iterator[tuple[Role, list[ProviderPart]]]:
    """Group neighbouring pieces of one role; results stay alone."""
    group: list[ProviderPart] = []
    group_role = role
    for piece in pieces:
        home = _find_role(piece.part, role)
        if home != role:
            what = describe_part(piece.part)
            sentence = f"{what} in a message of `{role}` is sent as a message of `{home}`"
            losses.append(Loss(piece.path, sentence, f"write it in a message of `{home}`"))
        if group and (home != group_role or home == "tool"):
            yield group_role, group
            group = []
        group_role = home
        group.append(piece)
    if group:
        yield group_role, group
