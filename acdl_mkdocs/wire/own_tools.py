"""Tools that a provider runs itself: their calls and results are in one message of the model, where it wrote them.

They are read as calls and results like all others. A *marker*, a key of what the provider says beside a part, shows
that it is one of these, so that it is written as it was.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.prompt import Call, Output
from acdl_mkdocs.wire.sent import Piece, Sent, Settled

OWN_CALL_KEYS = frozenset(("type", "executableCode", "toolCall"))
"""Keys beside a call of which one shows that it is no call of a function: the provider runs or defines the tool."""
Marker: TypeAlias = Callable[[Piece], str | None]
"""The key that shows that a call or a result is of a tool that the provider runs; `None` where it is of another one."""


def joined_answers(messages: Sequence[Sent], settled: Settled, marker: Marker) -> list[Sent]:
    """Join results of tools that the provider runs with the messages of the model around them.

    Parameters:
        messages: Messages of one role each.
        settled: What is written; its losses grow by calls and results that do not fit each other.
        marker: Finds the marker of a call or a result.
    """
    unfit = _unfit(messages, marker)
    found: list[Sent] = []
    is_open = False
    for each in messages:
        sent = replace(each, pieces=tuple(_without_marker(piece, settled, marker, unfit) for piece in each.pieces))
        is_own = sent.role == "tool" and all(marker(piece) is not None for piece in sent.pieces)
        if is_own:
            sent = replace(sent, role="assistant")
        is_continued = bool(found) and found[-1].role == "assistant" and sent.role == "assistant"
        if is_continued and (is_own or is_open):
            before = found.pop()
            sent = replace(before, pieces=(*before.pieces, *sent.pieces), more={**sent.more, **before.more})
            is_open = True
        else:
            is_open = is_own
        found.append(sent)
    return found


def _unfit(messages: Sequence[Sent], marker: Marker) -> set[int]:
    """Identities of calls and results of which one has a marker and the other has none."""
    waiting: dict[tuple[str | None, str | None], deque[Piece]] = {}
    unfit: set[int] = set()
    for piece in _all(messages):
        if isinstance(piece.part, Call):
            waiting.setdefault(_key(piece.part.id, piece.part.tool), deque()).append(piece)
        elif isinstance(piece.part, Output):
            calls = waiting.get(_key(piece.part.call_id, piece.part.tool))
            call = calls.popleft() if calls else None
            if (call is None or marker(call) is None) != (marker(piece) is None):
                unfit |= {id(piece), id(call)}
    return unfit


def _all(messages: Sequence[Sent]) -> Iterator[Piece]:
    return (piece for each in messages for piece in each.pieces)


def _key(call_id: str | None, tool: str | None) -> tuple[str | None, str | None]:
    return (call_id, None) if call_id is not None else (None, tool)


def _without_marker(piece: Piece, settled: Settled, marker: Marker, unfit: set[int]) -> Piece:
    key = marker(piece) if id(piece) in unfit else None
    if key is None:
        return piece
    what, other = ("call", "result") if isinstance(piece.part, Call) else ("result", "call")
    sentence = (
        f"the {what} is of a tool that the provider runs, but its {other} is not: it is sent as that of a function"
    )
    settled.lose(piece.path, sentence, "keep what the provider says beside both, or beside neither")
    return replace(piece, more={name: value for name, value in piece.more.items() if name != key})
