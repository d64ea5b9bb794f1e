"""`with_earlier()`: requests that leave what was said before to the provider, with what was said before.

A request of OpenAI's Responses names the answer that it goes on from. Where that answer and its request are recorded,
the model was given the messages of both and the new ones; where they are not, the request is no evidence.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.prompts.prompt import Json, Message, Opaque
from acdl_mkdocs.prompts.providers.opaque import is_reference
from acdl_mkdocs.traces.recorded import Found, Recorded, Skipped
from acdl_mkdocs.traces.replies import reply_of

MOST_KEPT = 256
"""Requests that can be gone on from: the oldest is forgotten when there are more."""
_CURE = "record the run from its beginning with `acdl record`, or let the agent send the messages itself"
_KEPT_THERE: Mapping[str, tuple[str, ...]] = {
    "responses": ("previous_response_id", "conversation"),
    "gemini": ("cachedContent", "cached_content"),
}
"""Keys of requests, by format, that say that the provider has earlier messages."""


def with_earlier(found: Iterable[Found]) -> Iterator[Found]:
    """The same, each request with the messages that the provider had of it."""
    known: dict[str, tuple[Message, ...]] = {}
    for each in found:
        if isinstance(each, Skipped):
            yield each
            continue
        key, value = _kept_there(each)
        before = () if key is None else known.get(value) if key == "previous_response_id" else None
        if before is None:
            reason = "it goes on from messages that only the provider has"
            yield Skipped(each.origin, reason, f"`{key}` is `{value}`", _CURE, is_damaged=True)
            continue
        new = each.request.messages
        n_first = len(new) if not before else 1 if _has_instructions(each) else 0
        whole = (*new[:n_first], *before, *new[n_first:])
        name = each.reply.get("id") if each.format == "responses" and isinstance(each.reply, dict) else None
        if isinstance(name, str):
            known[name] = (*(whole[1:] if _has_instructions(each) else whole), *reply_of(each))
            if len(known) > MOST_KEPT:
                del known[next(iter(known))]
        yield replace(each, request=replace(each.request, messages=whole)) if before else each


def _has_instructions(recorded: Recorded) -> bool:
    """Whether a request begins with instructions, which are of that request alone."""
    messages = recorded.request.messages
    is_said = isinstance(recorded.reply, dict) and isinstance(recorded.reply.get("instructions"), str)
    return is_said and bool(messages) and messages[0].role == "system"


def _kept_there(recorded: Recorded) -> tuple[str | None, str]:
    """The key of a request that says that the provider has earlier messages, and what it says."""
    for setting in recorded.request.settings:
        values: Json = setting.json
        for key in _KEPT_THERE.get(recorded.format, ()) if isinstance(values, dict) else ():
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
