"""Data that only one provider understands: written back into its requests, and kept when they are read."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json, Opaque, Part, Role, Tool
from acdl_mkdocs.prompts.providers.provider import WIRES
from acdl_mkdocs.prompts.providers.results import Loss, ProviderPart

_CALLING = frozenset(("function_call", "function_response", "tool_call", "tool_calls", "tool_use", "tool_result"))
"""Keys of calls and results for a provider, which a document has itself."""
_NAMING = {"type", "id"}
NOT_SENT = "the provider's form of the preceding part is not sent"


def select_pieces(
    parts: Sequence[Part], path: str, provider: str, losses: list[Loss], *, is_message: bool = False
) -> list[ProviderPart]:
    """Return the parts that a provider can read, each with the provider's further data.

    Parameters:
        parts: Parts of a message or a result.
        path: Their path in the prompt.
        provider: Key of the format in `WIRES`.
        losses: Receives the data of other providers.
        is_message: Whether a part of the provider is a whole message, which may be anything.
    """
    pieces: list[ProviderPart] = []
    for number, part in enumerate(parts):
        part_path = f"{path}[{number}]"
        if not isinstance(part, Opaque):
            pieces.append(ProviderPart(part_path, part))
        elif part.provider != provider:
            cure = f"write what matters as text, or send it to `{part.provider}`"
            losses.append(Loss(part_path, f"data that only `{part.provider}` understands is not sent", cure))
        elif part.place == "part" and not is_message and not isinstance(part.json, dict):
            losses.append(Loss(part_path, "data that is not an object is not sent", "write it as text"))
        elif part.place == "part" or (part.place != "message" and not pieces):
            pieces.append(ProviderPart(part_path, part))
        elif part.place == "instead":
            if isinstance(pieces[-1].part, WIRES[provider].respelled):
                pieces[-1] = replace(pieces[-1], instead=part.json)
            else:
                losses.append(Loss(part_path, f"`{provider}` has no such form: {NOT_SENT}", "write it as a part"))
        elif part.place == "more" and isinstance(part.json, dict):
            own = WIRES[provider].block_keys.get(type(pieces[-1].part), ())
            pieces[-1] = replace(
                pieces[-1], more={**pieces[-1].more, **_remove_calls(part.json, part_path, losses, own)}
            )
    return pieces


def list_message_keys(parts: Sequence[Part], path: str, provider: str, losses: list[Loss]) -> dict[str, Json]:
    """Return more keys of a message for a provider, without those of calls; report the omitted ones in `losses`."""
    keys: dict[str, Json] = {}
    for number, part in enumerate(parts):
        is_own = isinstance(part, Opaque) and part.place == "message" and part.provider == provider
        if is_own and isinstance(part, Opaque) and isinstance(part.json, dict):
            keys.update(_remove_calls(part.json, f"{path}[{number}]", losses))
    return keys


def to_snake_case(key: str) -> str:
    """Return the spelling in which keys are compared: some providers accept `functionCall` and `function_call`."""
    return re.sub("(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0]}", key).lower()


def _remove_calls(
    other_keys: dict[str, Json], path: str, losses: list[Loss], own: Collection[str] = ()
) -> dict[str, Json]:
    """Return keys without calls or results that the document does not show."""
    hidden = [key for key in other_keys if to_snake_case(key) in _CALLING and key not in own]
    for key in hidden:
        sentence = f"the key `{key}` is not sent: it has a call or a result that the document does not show"
        losses.append(Loss(path, sentence, "write it as a call or a result of the document"))
    return {key: value for key, value in other_keys.items() if key not in hidden}


def merge_keys(block: dict[str, Json], other_keys: dict[str, Json], *free: str) -> dict[str, Json]:
    """Merge more keys into a block, also in nested objects; the values of the block win.

    A key of another spelling is the same key.

    Parameters:
        block: The data written from the prompt.
        other_keys: Further data of the provider.
        free: Keys of the block with only the default of the provider.
    """
    merged = dict(block)
    spelled = {to_snake_case(key): key for key in block}
    for spelling, value in other_keys.items():
        key = spelled.get(to_snake_case(spelling), spelling)
        mine = merged.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            merged[key] = merge_keys(mine, value)
        elif key not in merged or key in free:
            merged[key] = value
    return merged


def keep_own_role(role: Role, other_keys: dict[str, Json]) -> dict[str, Json]:
    """Return more keys of a message; a role only if it is the provider's other word for the same role."""
    is_same = role == "system" and other_keys.get("role") in ("developer", "system")
    return (
        other_keys
        if is_same or "role" not in other_keys
        else {key: value for key, value in other_keys.items() if key != "role"}
    )


def attach_keys(provider: str, part: Part, other_keys: dict[str, Json]) -> tuple[Part, ...]:
    """Return a part and its further data of the provider."""
    return (part, Opaque(provider, other_keys, "more")) if other_keys else (part,)


def make_message_keys(provider: str, other_keys: dict[str, Json]) -> tuple[Opaque, ...]:
    """Return the further data of the provider about a message."""
    return (Opaque(provider, other_keys, "message"),) if other_keys else ()


def is_reference(json: Json) -> bool:
    """Return whether a part only refers to something stored by the provider."""
    if not isinstance(json, dict) or "id" not in json:
        return False
    return json.get("type") in (None, "item_reference") and json.keys() <= _NAMING


def make_request_keys(provider: str, other_keys: dict[str, Json]) -> tuple[Opaque, ...]:
    """Return the further data of the provider about a request."""
    return (Opaque(provider, other_keys),) if other_keys else ()


def get_tool_keys(tool: Tool, provider: str) -> dict[str, Json]:
    """Return more keys of a tool for a provider."""
    opaque = tool.more
    return opaque.json if opaque is not None and opaque.provider == provider and isinstance(opaque.json, dict) else {}
