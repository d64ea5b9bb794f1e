"""What versions of Claude take that their format does not say: system text between messages, beginnings of answers."""

import re
from collections.abc import Sequence

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.wire.body import END_WITH_USER

_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)")
_WITHOUT_PREFILL = (4, 6)
"""The first version that does not continue an answer."""
_WITH_SYSTEM = (4, 8)
"""The first version of Opus that takes system text between messages."""


def version_of(model: str | None) -> tuple[int, int] | None:
    """Which Claude a model is, as `(4, 6)`; `None` where its name does not say so."""
    found = _CLAUDE.search(model or "")
    return None if found is None else (int(found[1]), int(found[2] or 0))


def system_at_place(model: str | None, roles: Sequence[Json]) -> frozenset[int]:
    """Numbers of the messages whose system text a model takes at its place: right behind a user, and before an answer.

    Parameters:
        model: Name of the model.
        roles: Those of all messages; the answer that is asked for follows the last.
    """
    version = version_of(model)
    if version is None or version < _WITH_SYSTEM or "opus" not in str(model):
        return frozenset()
    around = zip(roles, roles[1:], (*roles[2:], "assistant"), strict=False)
    return frozenset(
        number
        for number, (before, role, after) in enumerate(around, 1)
        if role == "system" and before in ("user", "tool") and after == "assistant"
    )


def end_problem(model: str | None, message: dict[str, Json]) -> tuple[str, str] | None:
    """Why a model may reject such a last message, and a cure; `None` where it is no beginning of an answer."""
    content = message.get("content")
    last = content[-1] if isinstance(content, list) and content else content
    text = last.get("text") if isinstance(last, dict) else last
    if message.get("role") != "assistant" or not isinstance(text, str):
        return None
    sentence = "the request ends with an assistant message, and {}"
    version = version_of(model)
    if version is None or version >= _WITHOUT_PREFILL:
        who = "models from Claude 4.6 on reject" if version is None else f"`{model}` rejects"
        return sentence.format(f"{who} that"), END_WITH_USER
    if text == text.rstrip():
        return None
    cure = "end it with a word, or write a user message behind it"
    return sentence.format("the provider rejects white space at its end"), cure
