"""`Moves`: the steps from one position in a request and a pattern; `fit_message()`: whether two messages match."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from html import unescape
from typing import TypeAlias
from urllib.parse import urlsplit

from acdl_mkdocs.evaluation.values import shorten_text
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import ForEach
from acdl_mkdocs.prompts.prompt import Attachment, Call, Output, Part, Text, Thinking
from acdl_mkdocs.prompts.providers.provider import MessageLayout
from acdl_mkdocs.runs.match.pattern import Edge, ExpectedMessage, ExpectedPiece, Pattern
from acdl_mkdocs.runs.match.units import IN_TAGS, Unit, get_text, index_calls, list_attachments, normalize_text
from acdl_mkdocs.runs.read.recorded import CallKey

Consumed: TypeAlias = tuple[int, int]
"""How much of a message of a request the spec has explained: a number of characters, and of calls and attachments."""
NOTHING: Consumed = (0, 0)
ALL: Consumed = (-1, 0)
UNKNOWN_REST: Consumed = (-2, 0)
"""The message has unknown content, to which all the rest may belong."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a message does not match the spec."""

    piece: ExpectedPiece | None
    """The missing piece."""
    reason: str


@dataclass(frozen=True, slots=True)
class Fit:
    """The match of a message of the spec with one of a request."""

    misfit: Misfit | None
    consumed: Consumed
    """How much of the message of the request is explained after it."""


def fit_message(
    item: ExpectedMessage, unit: Unit, consumed: Consumed, layout: MessageLayout, *, is_shared: bool
) -> Fit:
    """Match a message of the spec with a message of a request, after others that match it too.

    Parameters:
        item: The message of the spec.
        unit: The message of the request, with the right role.
        consumed: How much of the message of the request is explained already.
        layout: How messages change on the way to the provider.
        is_shared: Whether other messages of the spec may be part of it too.
    """
    is_known = (
        bool(item.pieces) and not item.is_loose and all(each.text is not None or each.parts for each in item.pieces)
    )
    words = _get_text(unit, layout)
    texts = [(piece, text) for piece in item.pieces for text in _list_texts(piece, item.role, unit, layout)]
    missing = _find_absent_piece(item, unit, words, texts, layout)
    if missing is not None:
        return Fit(missing, UNKNOWN_REST)
    if not is_known:
        return Fit(_find_wrong_ends(item, unit, words, consumed, layout, is_shared=is_shared), UNKNOWN_REST)
    rest = _remove_texts(words, texts)
    if not is_shared:
        return Fit(_find_surplus(item, unit, rest), UNKNOWN_REST)
    if consumed == UNKNOWN_REST:
        is_all = bool(texts) and not rest.strip() and not _count_others(unit.parts)
        return Fit(
            Misfit(None, "the message has nothing else, but the spec sends something before it") if is_all else None,
            UNKNOWN_REST,
        )
    begin = (len(words), _count_others(unit.parts)) if consumed == ALL else consumed
    at = _find_end(words, begin[0], [text for _, text in texts])
    n_others = begin[1] + sum(_count_others(piece.parts) for piece in item.pieces)
    if at is None or n_others > _count_others(unit.parts):
        misfit = _find_surplus(item, unit, _remove_texts(words[begin[0] :], texts))
        return Fit(misfit or Misfit(None, "no part of the message is left for it"), UNKNOWN_REST)
    end = (at, n_others)
    return Fit(None, ALL if find_unexplained(unit, end, layout) is None else end)


def find_certain_items(items: Sequence[ExpectedMessage], unit: Unit, layout: MessageLayout) -> set[ExpectedMessage]:
    """Return the messages of the spec that are certainly part of a message of a request, of several that may be.

    Those with known content, and the only one without, if there is content left for it.
    """
    known_items = [
        each
        for each in items
        if any(_list_texts(piece, each.role, unit, layout) or piece.parts for piece in each.pieces)
    ]
    others = [each for each in items if each not in known_items]
    texts = [
        (piece, text)
        for each in known_items
        for piece in each.pieces
        for text in _list_texts(piece, each.role, unit, layout)
    ]
    n_known = sum(_count_others(piece.parts) for each in known_items for piece in each.pieces)
    is_left = bool(_remove_texts(_get_text(unit, layout), texts).strip()) or _count_others(unit.parts) > n_known
    return {*known_items, *(others if len(others) == 1 and is_left else ())}


def find_unexplained(unit: Unit, consumed: Consumed, layout: MessageLayout) -> Misfit | None:
    """Return the unexplained rest of a message of a request."""
    if consumed in (UNKNOWN_REST, ALL):
        return None
    rest, n_others = _get_text(unit, layout)[consumed[0] :].strip(), _count_others(unit.parts)
    if rest:
        return Misfit(None, f"the message also has `{shorten_text(rest)}`")
    return Misfit(None, _describe_surplus(unit, consumed[1])) if n_others > consumed[1] else None


def _get_text(unit: Unit, layout: MessageLayout) -> str:
    """Return the words of a message, without tags that represent a role."""
    return _remove_tags(unit.text) if _has_tags(unit, layout) else unit.normalized_text


def _has_tags(unit: Unit, layout: MessageLayout) -> bool:
    return layout.is_system_apart and unit.role == "user" and IN_TAGS in unit.text


def _remove_tags(text: str) -> str:
    return normalize_text(unescape(text.replace(IN_TAGS, " ").replace(IN_TAGS.replace("<", "</"), " ")))


def _list_texts(piece: ExpectedPiece, role: str, unit: Unit, layout: MessageLayout) -> list[str]:
    """Return the known texts of a piece as `_get_text` returns those of a message.

    Only the text of the system is escaped in its tags; other text of such a message is not, but decoded with it.
    """
    texts = [piece.text or "", *(get_text(part) for part in piece.parts if isinstance(part, (Text, Output)))]
    clean = _remove_tags if _has_tags(unit, layout) and role != "system" else normalize_text
    return [text for text in map(clean, texts) if text]


def _find_absent_piece(
    item: ExpectedMessage, unit: Unit, words: str, texts: Sequence[tuple[ExpectedPiece, str]], layout: MessageLayout
) -> Misfit | None:
    """Return the first known piece that a message does not have."""
    begin, rest = 0, words
    for piece in item.pieces:
        for text in (text for each, text in texts if each is piece):
            at = rest.find(text, begin)
            if at < 0:
                return Misfit(piece, f"`{shorten_text(text)}` is not in the message")
            rest, begin = f"{rest[:at]}{rest[at + len(text) :]}", at
        absent = next((part for part in piece.parts if not _is_in(part, unit, has_thoughts=layout.has_thoughts)), None)
        if absent is not None:
            return Misfit(piece, _describe_missing(absent))
    return None


def _remove_texts(words: str, texts: Sequence[tuple[ExpectedPiece, str]]) -> str:
    """Remove known texts from words."""
    begin = 0
    for _, text in texts:
        at = words.find(text, begin)
        if at >= 0:
            words, begin = f"{words[:at]}{words[at + len(text) :]}", at
    return words


def _find_wrong_ends(
    item: ExpectedMessage, unit: Unit, words: str, consumed: Consumed, layout: MessageLayout, *, is_shared: bool
) -> Misfit | None:
    """Return a mismatch at the ends of a partly known message: known pieces may have to be its beginning or its end."""
    if consumed == ALL:
        return Misfit(item.pieces[0] if item.pieces else None, "the message has nothing more")
    if item.is_loose or item.role == "tool":
        return _find_shortage(item, unit, has_thoughts=layout.has_thoughts)
    first = _list_leading_texts(item.pieces, item.role, unit, layout)
    if consumed != UNKNOWN_REST and _find_end(words, consumed[0], first) is None:
        before = words[max(consumed[0], 0) :].partition(first[0])[0].strip()
        return Misfit(item.pieces[0], f"the message has `{shorten_text(before)}` before `{shorten_text(first[0])}`")
    last = [text[::-1] for text in _list_leading_texts(item.pieces[::-1], item.role, unit, layout)]
    if not is_shared and _find_end(words[::-1], 0, last) is None:
        at = words.rfind(last[0][::-1]) + len(last[0])
        return Misfit(
            item.pieces[-1],
            f"the message has `{shorten_text(words[at:].strip())}` after `{shorten_text(last[0][::-1])}`",
        )
    return _find_shortage(item, unit, has_thoughts=layout.has_thoughts)


def _list_leading_texts(pieces: Sequence[ExpectedPiece], role: str, unit: Unit, layout: MessageLayout) -> list[str]:
    """Return the known text at the beginning of pieces."""
    piece = next(iter(pieces), None)
    return _list_texts(piece, role, unit, layout)[:1] if piece is not None and piece.text else []


def _find_end(words: str, begin: int, texts: Sequence[str]) -> int | None:
    """Return where a sequence of texts in words ends; `None` if it is not there."""
    for text in texts:
        begin += words[begin : begin + 1] == " "
        if not words.startswith(text, begin):
            return None
        begin += len(text)
    return begin


def _is_in(part: Part, unit: Unit, *, has_thoughts: bool) -> bool:
    if isinstance(part, Call):
        return any(call.tool == part.tool and dict(call.args) == dict(part.args) for call in unit.calls)
    if isinstance(part, (Attachment, Output)):
        sent = list_attachments(unit.parts)
        return all(any(_may_be_same(each, other) for other in sent) for each in list_attachments((part,)))
    if isinstance(part, Thinking) and has_thoughts:  # its words may be left out
        thoughts = {normalize_text(each.text) for each in unit.parts if isinstance(each, Thinking)}
        return normalize_text(part.text) in thoughts or "" in thoughts
    return True  # words are compared as words


def _may_be_same(expected: Attachment, other: Attachment) -> bool:
    """Return whether an attachment of a request may be a known one: all fields given for both are equal."""
    if "image" in (expected.type, other.type) and expected.type != other.type:
        return False
    pairs = ((expected.data, other.data), (expected.text, other.text), (expected.href, other.href))
    if any(one and two and one != two for one, two in pairs):
        return False
    if other.href and not expected.href and (expected.path or expected.name):
        return posixpath.basename(urlsplit(other.href).path) == posixpath.basename(expected.path or expected.name or "")
    return True


def _describe_missing(part: Part) -> str:
    if isinstance(part, Thinking):
        return f"the thought `{shorten_text(normalize_text(part.text))}` is not in the message"
    return (
        f"the call of `{part.tool}` is not in the message"
        if isinstance(part, Call)
        else "the attachment is not in the message"
    )


def _find_surplus(item: ExpectedMessage, unit: Unit, rest: str) -> Misfit | None:
    """Return what a request has beyond the spec."""
    if item.role == "tool" and item.n_outputs > 1:
        return None
    if rest.strip():
        return Misfit(None, f"the message also has `{shorten_text(rest.strip())}`")
    expected = sum(_count_others(piece.parts) for piece in item.pieces)
    return Misfit(None, _describe_surplus(unit, expected)) if _count_others(unit.parts) > expected else None


def _count_others(parts: Iterable[Part]) -> int:
    """Count the parts that are neither words nor thoughts, also in results."""
    members = list(parts)
    return sum(isinstance(part, Call) for part in members) + len(list_attachments(members))


def _describe_surplus(unit: Unit, expected: int) -> str:
    """Explain that a message has more calls or attachments than the spec sends."""
    n_others, one, several = _count_others(unit.parts), "attachment", "attachments"
    if unit.calls:
        is_mixed = len(unit.calls) < n_others
        one, several = "tool call", "tool calls and attachments" if is_mixed else "tool calls"
    return f"the message has {n_others} {one if n_others == 1 else several} instead of {expected}"


def _find_shortage(item: ExpectedMessage, unit: Unit, *, has_thoughts: bool) -> Misfit | None:
    """Return the misfit if there are fewer parts than pieces: only text can hold two pieces, and blank text is one."""
    n_others = sum(not isinstance(part, Text) for part in unit.parts)
    has_blank = n_others < len(unit.parts)
    pieces = [each for each in item.pieces if has_thoughts or not _is_thought(each)]
    if item.role == "tool" or unit.normalized_text or len(pieces) <= max(n_others + has_blank, not unit.parts):
        return None  # a message without anything may be a piece that is empty
    piece = next((each for each in pieces if not each.parts), pieces[0])
    count = format_count(n_others, "part")
    return Misfit(piece, f"the spec sends {len(pieces)} pieces, and the message has {count} and no text")


def _is_thought(reply: ExpectedPiece) -> bool:
    return bool(reply.parts) and all(isinstance(part, Thinking) for part in reply.parts)


_CONTENT, _MISSING, _EXTRA, ROLE = 10, 20, 20, 30
"""Costs of matching a message with different content, of a missing one, of an additional one, and of another role."""
_OF_LOOP, _UNKNOWN, _OTHERWISE = 1, 1, 3
"""Tie-breakers between matches of equal cost: a discount for each enclosing loop of a missing message, a penalty for
unknown content, and one for content that contradicts another request."""
_Way: TypeAlias = tuple[int, Misfit | None, Consumed]
"""Its cost, its mismatch, and how much of the message is explained after it."""
_END = Edge(-1)
"""After the last message of a request that agrees."""
_MOST_LOOPS = 3
"""Loops around a message that count for that."""
Cell: TypeAlias = tuple[int, int, Consumed, Consumed]
"""The number of messages passed, the position in the pattern, how much is explained of system text beside the messages,
and of the last message passed."""


Fits: TypeAlias = dict[tuple[int, int, Consumed], tuple[ExpectedMessage, Unit, Fit]]
"""Matches of messages of a spec with messages of requests, by the identities of both."""
_MOST_FITS = 50_000
"""Limit of matches that are cached for further requests."""
LookUpContent: TypeAlias = Callable[[ExpectedMessage], tuple[object, ...] | None]
"""Finds the content of a message of the spec in another request, as `Unit.content` without the role; `None` if there
is none."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step from one cell to another."""

    edge: Edge | None
    """`None` for a message of the request that the spec does not send."""
    unit: Unit | None
    target: Cell
    cost: int = 0
    misfit: Misfit | None = None

    @property
    def is_passing(self) -> bool:
        """Whether no message is on the way."""
        return self.edge is not None and self.edge.item is None

    @property
    def is_missing(self) -> bool:
        """Whether the spec sends a message here that the request does not have."""
        return self.edge is not None and self.unit is None


@dataclass(slots=True)
class Moves:
    """One request against one pattern."""

    pattern: Pattern
    units: list[Unit]
    system: Unit | None
    layout: MessageLayout
    look_up_content: LookUpContent | None = None
    """Finds the content of messages of the spec in other requests."""
    fits: dict[tuple[int, int, Consumed], Fit] = field(default_factory=dict)
    known: Fits = field(default_factory=dict)
    """Those of other requests of the run."""
    owed: list[int] = field(default_factory=list)
    """Before each message, how many calls of tools have no result yet."""
    is_by_id: bool = False
    """Whether results are in the order of the request, so that only ids identify their calls."""
    calls: dict[int, CallKey] | None = None
    """By the identity of each result: the call that it belongs to; `None` until it is computed."""

    def __post_init__(self) -> None:
        n_owed = 0
        for unit in self.units:
            self.owed.append(n_owed)
            n_owed = max(n_owed - 1, 0) if unit.role == "tool" else len(unit.calls)

    @property
    def first_cell(self) -> Cell:
        """The first cell."""
        return (0, 0, ALL if self.system is None or not self.system.parts else NOTHING, ALL)

    @property
    def last_cell(self) -> Cell:
        """The last cell of a request that agrees."""
        return (len(self.units), -1, ALL, ALL)

    def fit_message(self, item: ExpectedMessage, unit: Unit, consumed: Consumed) -> Fit:
        """Match a message of the spec with one of the request; cached."""
        key = (id(item), id(unit), consumed)
        if key not in self.fits:
            is_result = unit.role == "tool" and item.n_outputs > 1
            is_shared = unit.role in self.layout.merging or unit is self.system or is_result
            cached = self.known.get(key)
            if cached is None or cached[0] is not item or cached[1] is not unit:
                cached = item, unit, fit_message(item, unit, consumed, self.layout, is_shared=is_shared)
                if len(self.known) >= _MOST_FITS:
                    self.known.clear()
                self.known[key] = cached
            fit = cached[2]
            if fit.misfit is None and item.role == "tool" and is_known(item):
                fit = self._match_result(fit, item, unit)
            self.fits[key] = fit
        return self.fits[key]

    def _match_result(self, fit: Fit, item: ExpectedMessage, unit: Unit) -> Fit:
        """Match a known result with an equal one of the request, which may belong to another call."""
        if item.call_key is None and not self.is_by_id:
            return fit
        if self.calls is None:
            self.calls = index_calls(self.units)
        call_key = self.calls.get(id(unit))
        if call_key == item.call_key or (None in (call_key, item.call_key) and not self.is_by_id):
            return fit
        reason = f"this is the result of `{call_key}`, but the spec sends that of `{item.call_key}`"
        piece = next(iter(item.pieces), None)
        return Fit(Misfit(piece, reason), UNKNOWN_REST)

    def find_unexplained(self, at: int, consumed: Consumed) -> Misfit | None:
        """Return the unexplained rest of the last message passed."""
        return find_unexplained(self.units[at - 1], consumed, self.layout) if at else None

    def has_role(self, item: ExpectedMessage, unit: Unit) -> bool:
        """Return whether a message has the role in the spec, as far as the provider has that role."""
        if item.role == unit.role:
            return True
        is_in_tags = item.role == "system" and self.system is not None and IN_TAGS in unit.text
        return unit.role == "user" and (is_in_tags or item.role == "none")

    def list_moves(self, cell: Cell, *, is_exact: bool, is_gap: bool = False) -> Iterator[Move]:
        """Yield the moves from a cell; after a gap, nothing can share a message with earlier content."""
        at, position, system_consumed, consumed = cell
        if position < 0:
            return
        for edge in self.pattern.edges[position]:
            if edge.item is None or (self.layout.is_system_unrecorded and at == 0 and edge.item.role == "system"):
                yield Move(edge, None, (at, edge.target, system_consumed, consumed))
            elif edge.is_more:
                yield from self._add_result(edge, edge.item, cell)
            elif edge.item.role == "system" and self.system is not None:
                yield from self._match_system(edge, edge.item, cell, self.system, is_exact=is_exact)
                is_there = is_exact or bool(self.system.parts)
                yield from self._match_item(edge, edge.item, cell, is_exact=is_there, is_gap=is_gap)
            else:
                yield from self._match_item(edge, edge.item, cell, is_exact=is_exact, is_gap=is_gap)
        if self.find_unexplained(at, consumed) is None:
            yield from self._skip_message(cell, is_exact=is_exact)

    def _skip_message(self, cell: Cell, *, is_exact: bool) -> Iterator[Move]:
        """Yield moves past the end of both, and past a message that the spec does not send."""
        at, position, system_consumed, _ = cell
        if at < len(self.units):
            unit = self.units[at]
            if not unit.parts and unit.role != "tool":  # a message without content may be skipped
                yield Move(Edge(position), None, (at + 1, position, system_consumed, ALL))
            if not is_exact:
                yield Move(None, unit, (at + 1, position, system_consumed, UNKNOWN_REST), _EXTRA)
        elif position == self.pattern.final:
            if self.system is None or find_unexplained(self.system, system_consumed, self.layout) is None:
                yield Move(_END, None, self.last_cell)
            elif not is_exact and system_consumed == NOTHING:
                yield Move(None, self.system, self.last_cell, _EXTRA)

    def _add_result(self, edge: Edge, item: ExpectedMessage, cell: Cell) -> Iterator[Move]:
        """Yield moves for one more result of a message: some providers send each of several results alone."""
        at, _, system_consumed, _ = cell
        if not 0 < at < len(self.units):
            return
        unit, before = self.units[at], self.units[at - 1]
        is_one = unit.message == before.message or item.n_outputs > 1 or self.owed[at] > 0
        if unit.role == before.role == "tool" and is_one:
            yield Move(edge, unit, (at + 1, edge.target, system_consumed, UNKNOWN_REST))

    def _match_system(
        self, edge: Edge, item: ExpectedMessage, cell: Cell, system: Unit, *, is_exact: bool
    ) -> Iterator[Move]:
        """Yield moves for system text beside the messages."""
        at, _, system_consumed, consumed = cell
        if not is_exact:
            yield Move(edge, None, (at, edge.target, system_consumed, consumed), _MISSING)
        if not system.parts:
            return
        for cost, misfit, end in self._list_ways(item, system, system_consumed, is_exact=is_exact):
            yield Move(edge, system, (at, edge.target, end, consumed), cost, misfit)

    def _list_ways(self, item: ExpectedMessage, unit: Unit, consumed: Consumed, *, is_exact: bool) -> Iterator[_Way]:
        """Yield the ways to match a message with one of the request: as one of several in it, or as the last."""
        fit = self.fit_message(item, unit, consumed)
        if fit.misfit is None:
            yield 0, None, fit.consumed
            rest = None if is_exact else find_unexplained(unit, fit.consumed, self.layout)
            if rest is not None:
                yield _CONTENT, rest, ALL
        elif not is_exact:
            yield _CONTENT, fit.misfit, fit.consumed

    def _match_item(
        self, edge: Edge, item: ExpectedMessage, cell: Cell, *, is_exact: bool, is_gap: bool
    ) -> Iterator[Move]:
        at, _, system_consumed, consumed = cell
        rest = self.find_unexplained(at, consumed)
        if at < len(self.units) and rest is None:
            unit = self.units[at]
            if self.has_role(item, unit):
                for cost, misfit, end in self._list_ways(item, unit, NOTHING, is_exact=is_exact):
                    doubt = 0 if is_exact or misfit is not None else self._estimate_doubt(item, unit)
                    yield Move(edge, unit, (at + 1, edge.target, system_consumed, end), cost + doubt, misfit)
            elif not is_exact:
                yield Move(edge, unit, (at + 1, edge.target, system_consumed, UNKNOWN_REST), ROLE)
        before = self.units[at - 1] if at and not (is_gap and rest is None) else None
        if before is not None and before.role in self.layout.merging and self.has_role(item, before):
            for cost, misfit, end in self._list_ways(item, before, consumed, is_exact=is_exact or rest is None):
                yield Move(edge, before, (at, edge.target, system_consumed, end), cost, misfit)
        if not is_exact:
            yield Move(edge, None, (at, edge.target, system_consumed, consumed), compute_missing_cost(item))

    def compute_least_doubts(self) -> list[int]:
        """Return the least cost of each message of the request, whatever it matches."""
        items = {edge.item for edges in self.pattern.edges for edge in edges if edge.item is not None}
        free: set[str] = {item.role for item in items if is_known(item)}
        free |= {"user"} if free & {"system", "none"} else set()
        befores = {
            None if self.look_up_content is None else self.look_up_content(item) for item in items if not is_known(item)
        }
        least = _UNKNOWN if None in befores or not befores else _OTHERWISE
        roles = ["", *(unit.role for unit in self.units)]
        return [
            0 if unit.role in free or before == unit.role == "tool" or unit.content[1:] in befores else least
            for unit, before in zip(self.units, roles, strict=False)
        ]

    def _estimate_doubt(self, item: ExpectedMessage, unit: Unit) -> int:
        """Return the cost of matching a message that is not certain."""
        if is_known(item):
            return 0
        before = None if self.look_up_content is None else self.look_up_content(item)
        if before is None:
            return _UNKNOWN
        return 0 if before == unit.content[1:] else _OTHERWISE


def compute_missing_cost(item: ExpectedMessage) -> int:
    """Return the cost of a missing message of the spec."""
    n_loops = sum(isinstance(each.node, ForEach) for each in item.around)
    return _MISSING - _OF_LOOP * min(n_loops, _MOST_LOOPS)


def is_known(item: ExpectedMessage) -> bool:
    """Return whether anything is known about the content of a message."""
    return any(piece.text is not None or piece.parts for piece in item.pieces)
