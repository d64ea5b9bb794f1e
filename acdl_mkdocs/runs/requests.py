"""The requests of one agent in a recording, including messages stored by a provider."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.prompt import Json, Message, Opaque, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.opaque import is_reference
from acdl_mkdocs.runs.match.units import read_reply
from acdl_mkdocs.runs.read.recorded import Found, Recorded, Skipped


def _get_system_text(request: Recorded) -> str:
    parts = (each for message in request.request.messages if message.role == "system" for each in message.parts)
    return "\n".join(each.text for each in parts if isinstance(each, Text))


KEYS: Mapping[str, Callable[[Recorded, str], bool]] = {
    "model": lambda each, wanted: fnmatchcase(each.model or "", wanted),
    "episode": lambda each, wanted: fnmatchcase(each.episode or "", wanted),
    "system": lambda each, wanted: wanted in _get_system_text(each),
}
"""Keys to select requests by: the model and the run, in which `*` matches anything, and words of the instructions."""


def read_only(words: Iterable[str]) -> dict[str, str]:
    """Read selections such as `model=gpt-*`, by key.

    Raises:
        TraceError: A key is unknown, has no value, or is given twice.
    """
    selections: dict[str, str] = {}
    for each in words:
        key, _, pattern = each.partition("=")
        if key not in KEYS:
            near = find_closest(key, KEYS)
            cure = (
                f"did you mean `{near}=...`?" if near else f"write one of {', '.join(f'`{name}=...`' for name in KEYS)}"
            )
            raise TraceError(f"requests cannot be selected by `{each}`; {cure}")
        if not pattern:
            raise TraceError(f"`{each}` has no value; write, for example, `{key}=planner*`")
        if key in selections:
            raise TraceError(f"`{key}` is given twice, and a request has to match all; write it once")
        selections[key] = pattern
    return selections


def matches_request(recorded: Recorded, only: Mapping[str, str]) -> bool:
    """Return whether a request matches all selections."""
    return all(KEYS[key](recorded, wanted) for key, wanted in only.items())


def select_requests(requests: Iterable[Recorded], only: Mapping[str, str]) -> Iterator[Recorded]:
    """Yield the requests that match all selections.

    Raises:
        TraceError: There are requests, but none matches.
    """
    n_found = n_chosen = 0
    seen: dict[str, None] = {}
    for each in requests:
        n_found += 1
        if matches_request(each, only):
            n_chosen += 1
            yield each
        else:
            seen.setdefault(f"`{each.model or 'no model'}`" + (f" in `{each.episode}`" if each.episode else ""))
    if n_found and not n_chosen:
        wanted_point = " and ".join(f"{key}={pattern}" for key, pattern in only.items())
        available = ", ".join([*seen][:5]) + (" and more" if len(seen) > 5 else "")
        raise TraceError(f"no request matches {wanted_point}; the recording has requests of {available}")


MOST_KEPT = 256
"""Limit of requests that later ones can continue; beyond it, the oldest is forgotten."""
_CURE = "record the run from its beginning with `acdl record`, or make the agent send all messages itself"


def add_earlier_messages(items: Iterable[Found]) -> Iterator[Found]:
    """Yield the items, each request with the earlier messages stored by the provider."""
    stored: dict[str, tuple[Message, ...]] = {}
    for each in items:
        if isinstance(each, Skipped):
            yield each
            continue
        key, value = _find_earlier_key(each)
        answer_key = PROVIDERS[each.format].earlier_answer_key if each.format in PROVIDERS else ""
        before = () if key is None else stored.get(value) if key == answer_key else None
        if before is None:
            reason = "it continues messages that are stored at the provider"
            yield Skipped(each.origin, reason, f"`{key}` is `{value}`", _CURE, is_damaged=True)
            continue
        new = each.request.messages
        n_first = len(new) if not before else 1 if _has_instructions(each) else 0
        messages = (*new[:n_first], *before, *new[n_first:])
        name = each.reply.get("id") if answer_key and isinstance(each.reply, dict) else None
        if isinstance(name, str):
            stored[name] = (*(messages[1:] if _has_instructions(each) else messages), *read_reply(each))
            if len(stored) > MOST_KEPT:
                del stored[next(iter(stored))]
        yield replace(each, request=replace(each.request, messages=messages)) if before else each


def _has_instructions(recorded: Recorded) -> bool:
    """Return whether a request begins with instructions, which belong to that request only."""
    first = recorded.request.messages[:1]
    # a message of the developer or the system at the beginning of `input` has its role beside its text
    return any(each.role == "system" and [type(part) for part in each.parts] == [Text] for each in first)


def _find_earlier_key(recorded: Recorded) -> tuple[str | None, str]:
    """Return the key of a request that refers to earlier messages stored by the provider, and its value."""
    earlier_keys = PROVIDERS[recorded.format].earlier_keys if recorded.format in PROVIDERS else ()
    for setting in recorded.request.settings:
        values: Json = setting.json
        for key in earlier_keys if isinstance(values, dict) else ():
            value = values.get(key) if isinstance(values, dict) else None
            if isinstance(value, dict):
                value = value.get("id")
            if isinstance(value, str) and value:
                return key, value
    parts = (part for message in recorded.request.messages for part in message.parts if isinstance(part, Opaque))
    for part in parts:
        if part.place == "part" and isinstance(part.json, dict) and is_reference(part.json):
            return "item_reference", str(part.json.get("id"))
    return None, ""
