"""Common parts of writing request bodies: the model, settings, and tools that a provider runs itself."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeAlias

from acdl_mkdocs.prompts.prompt import Call, Json, Output
from acdl_mkdocs.prompts.providers.opaque import to_snake_case
from acdl_mkdocs.prompts.providers.results import AdaptedPrompt, ProviderMessage, ProviderPart, Written

_SAID = {
    **dict.fromkeys(("messages", "input", "contents", "system", "instructions", "system_instruction"), "messages"),
    **dict.fromkeys(("functions", "function_call", "function_declarations"), "tools"),
}
"""Keys of requests for messages and tools, including former ones."""

END_WITH_USER = "end it with a user message, for example one that asks to continue the text, or remove the last message"
"""The help if a provider does not continue the beginning of an answer."""


def split_leading_system(
    adapted: AdaptedPrompt, apart: str | None = None
) -> tuple[list[ProviderPart], dict[str, Json], Sequence[ProviderMessage]]:
    """Split the leading instructions from all other messages, for formats that have one place for them.

    The provider's further data about the instructions come second. Messages with the role `apart` were read
    from among the other messages, and stay there.
    """
    is_later = (each.role != "system" or (apart and each.more.get("role") == apart) for each in adapted.messages)
    n_leading = next((n for n, is_it in enumerate(is_later) if is_it), len(adapted.messages))
    leading = adapted.messages[:n_leading]
    for each in leading[1:]:
        adapted.report_loss(
            each.path, "the instructions are joined with those before them", "write them in one message"
        )
    other_keys = {key: value for each in leading for key, value in each.more.items()}
    return [piece for each in leading for piece in each.pieces], other_keys, adapted.messages[n_leading:]


def write_body(adapted: AdaptedPrompt, body: dict[str, Json], tools: list[Json]) -> Written:
    """Return a body with tools, if there are any, and with the settings of the provider."""
    merged = dict(body)
    tools = [*tools, *_find_provider_tools(adapted)]
    if tools:
        merged["tools"] = tools
    for key, value in adapted.settings.items():
        section = _SAID.get(to_snake_case(key))
        if section is not None and key not in merged:
            _lose_setting(key, section, adapted)
        elif key != "tools":
            merged.setdefault(key, value)
    return Written(merged, tuple(adapted.losses))


def _find_provider_tools(adapted: AdaptedPrompt) -> Iterator[Json]:
    """Yield the tools in the settings: those that the provider runs itself; declared ones are in the document."""
    own = adapted.settings.get("tools")
    for number, tool in enumerate(own if isinstance(own, list) else []):
        if not isinstance(tool, dict):
            yield tool
            continue
        declaring = [key for key in tool if to_snake_case(key) == "function_declarations"]
        rest = {key: value for key, value in tool.items() if key not in declaring}
        if declaring or _is_declared(tool):
            _lose_setting(f"tools[{number}]", "tools", adapted)
        if not _is_declared(tool) and (rest or not declaring):
            yield rest


def _is_declared(tool: dict[str, Json]) -> bool:
    """Return whether a tool is one that the caller runs, in the format of any provider."""
    is_named = "type" not in tool and "name" in tool
    return is_named or tool.get("type") == "function" or "function" in tool or "input_schema" in tool


def _lose_setting(key: str, section: str, adapted: AdaptedPrompt) -> None:
    sentence = f"the setting `{key}` is not sent: it contains {section}"
    adapted.report_loss("settings", sentence, f"write it as {section} of the document")


def choose_model(adapted: AdaptedPrompt, model: str | None) -> dict[str, Json]:
    """Return the key that names the model, if a request needs it."""
    if model is None:
        adapted.report_advice("", "the request needs a model name, and none is given", "give one: `--model NAME`")
    return {} if model is None else {"model": model}


def group_results(messages: Sequence[ProviderMessage]) -> Iterator[list[ProviderMessage]]:
    """Yield messages with the results of one batch of calls together, for formats that need them in one message."""
    for is_result, group in groupby(messages, key=lambda each: each.role == "tool"):
        together = list(group)
        yield from [together] if is_result else ([each] for each in together)


OWN_CALL_KEYS = frozenset(("type", "executableCode", "toolCall"))
"""Keys beside a call, each of which shows that it is not of a function: the provider runs or defines the tool."""
Marker: TypeAlias = Callable[[ProviderPart], str | None]
"""The key that shows that a call or a result is of a tool that the provider runs; `None` for other tools."""


def join_answers(messages: Sequence[ProviderMessage], adapted: AdaptedPrompt, marker: Marker) -> list[ProviderMessage]:
    """Join results of tools that the provider runs with the messages of the model around them.

    Parameters:
        messages: Messages of one role each.
        adapted: The adapted prompt; its losses receive the calls and results that do not match.
        marker: Finds the marker of a call or a result.
    """
    unfit = _find_unpaired(messages, marker)
    joined: list[ProviderMessage] = []
    is_open = False
    for each in messages:
        sent = replace(each, pieces=tuple(_remove_unpaired(piece, adapted, marker, unfit) for piece in each.pieces))
        is_own = sent.role == "tool" and all(marker(piece) is not None for piece in sent.pieces)
        if is_own:
            sent = replace(sent, role="assistant")
        is_continued = bool(joined) and joined[-1].role == "assistant" and sent.role == "assistant"
        if is_continued and (is_own or is_open):
            before = joined.pop()
            sent = replace(before, pieces=(*before.pieces, *sent.pieces), more={**sent.more, **before.more})
            is_open = True
        else:
            is_open = is_own
        joined.append(sent)
    return joined


def _find_unpaired(messages: Sequence[ProviderMessage], marker: Marker) -> set[int]:
    """Return the identities of calls and results of which only one has a marker."""
    unpaired: dict[tuple[str | None, str | None], deque[ProviderPart]] = {}
    unfit: set[int] = set()
    for piece in _list_pieces(messages):
        if isinstance(piece.part, Call):
            unpaired.setdefault(_make_key(piece.part.id, piece.part.tool), deque()).append(piece)
        elif isinstance(piece.part, Output):
            calls = unpaired.get(_make_key(piece.part.call_id, piece.part.tool))
            call = calls.popleft() if calls else None
            if (call is None or marker(call) is None) != (marker(piece) is None):
                unfit |= {id(piece), id(call)}
    return unfit


def _list_pieces(messages: Sequence[ProviderMessage]) -> Iterator[ProviderPart]:
    return (piece for each in messages for piece in each.pieces)


def _make_key(call_id: str | None, tool: str | None) -> tuple[str | None, str | None]:
    return (call_id, None) if call_id is not None else (None, tool)


def _remove_unpaired(piece: ProviderPart, adapted: AdaptedPrompt, marker: Marker, unfit: set[int]) -> ProviderPart:
    key = marker(piece) if id(piece) in unfit else None
    if key is None:
        return piece
    what, other = ("call", "result") if isinstance(piece.part, Call) else ("result", "call")
    sentence = (
        f"the {what} is of a tool that the provider runs, but its {other} is not: it is sent as that of a function"
    )
    adapted.report_loss(piece.path, sentence, "keep the provider's data with both, or with neither")
    return replace(piece, more={name: value for name, value in piece.more.items() if name != key})
