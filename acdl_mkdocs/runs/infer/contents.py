"""`Contents`: the content sent under each name of a spec, as far as the messages of recorded requests determine it.

A message of one piece determines the piece. In a message of several pieces, the known ones are removed until one is
left. Content that cannot be split is put under the first of the names, so that the message stays the same; this is
recorded as a doubt. Knows nothing about state files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Output, Part, Text
from acdl_mkdocs.runs.match.match import MatchStep
from acdl_mkdocs.runs.match.pattern import ExpectedMessage, ExpectedPiece
from acdl_mkdocs.runs.match.units import Unit

Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class RecordedContent:
    """The content of one message, and the pieces of the spec in it."""

    pieces: tuple[ExpectedPiece, ...]
    parts: Parts
    unit: Unit
    is_certain: bool
    """Whether no other message of the spec could be this one."""


@dataclass(slots=True)
class Contents:
    """Collects the content sent under each name."""

    joiner: str = "\n"
    found: dict[str, Parts] = field(default_factory=dict)
    """By name."""
    doubts: dict[str, str] = field(default_factory=dict)
    """By name: the content that cannot be determined."""
    undetermined: dict[ExpectedPiece, Unit] = field(default_factory=dict)
    """Pieces without a name, or in messages that may hold more, with the messages that had them first."""
    recorded: list[RecordedContent] = field(default_factory=list)
    recorded_keys: set[object] = field(default_factory=set)
    """Keys of the messages in `sent`."""
    names_outside_tools: set[str] = field(default_factory=set)
    """Names whose content also occurs outside messages of tools."""

    def add_request(self, steps: Iterable[MatchStep]) -> None:
        """Add the messages of one request that agrees with the spec."""
        for items, units, is_certain in _pair_messages(steps):
            parts = tuple(part for unit in units for part in unit.parts)
            pieces = tuple(piece for item in items for piece in item.pieces)
            if any(item.is_loose for item in items):
                self.undetermined.update({piece: units[0] for piece in pieces if not _is_known(piece)})
            elif len(items) == len(parts) > 1 and len(units) == 1:
                pairs = zip(items, parts, strict=True)
                for item, part in pairs:
                    self._add_message(item.pieces, (part,), units[0], is_certain=is_certain)
            else:
                is_result = len(pieces) > 1 and units[0].role == "tool"
                result_parts = _read_result_text(parts) if is_result else parts
                self._add_message(pieces, result_parts, units[0], is_certain=is_certain)

    def _add_message(self, items: Iterable[ExpectedPiece], parts: Parts, unit: Unit, *, is_certain: bool) -> None:
        """Add a message, unless another request had it already."""
        sent = RecordedContent(tuple(items), parts, unit, is_certain)
        key = (tuple((piece.name, piece.text, piece.expression) for piece in sent.pieces), repr(parts), is_certain)
        if key not in self.recorded_keys:
            self.recorded_keys.add(key)
            self.recorded.append(sent)
            self.names_outside_tools.update(piece.name for piece in sent.pieces if unit.role != "tool")

    def solve_contents(self, *, is_guessing: bool) -> None:
        """Determine the content of each name, the more certain ones first; then perhaps doubtful ones."""
        while True:
            for is_alone, is_certain in ((True, True), (False, True), (True, False), (False, False)):
                mine = [each for each in self.recorded if each.is_certain or not is_certain]
                if sum(self._assign_groups(each, is_alone=is_alone) for each in mine):
                    break
            else:
                if not is_guessing or not self._guess_once():
                    return

    def _guess_once(self) -> bool:
        """Try all doubtful messages once; return whether anything new was found."""
        begun: dict[str, set[str]] = {}
        for each in self.recorded:
            left = self._find_unknown_pieces(each)
            if left is not None and len(left[0]) > 1 and left[1] and isinstance(left[1][0], Text):
                begun.setdefault(left[0][0].name, set()).add(left[1][0].text)
        alike = {name: _find_common_lines(texts, self.joiner) for name, texts in begun.items() if name}
        is_new = sum(self._assign_common_lines(each, alike) for each in self.recorded)
        return bool(
            is_new or sum(self._split_certain(each) or self._guess_contents(each) for each in list(self.recorded))
        )

    def _split_certain(self, sent: RecordedContent) -> bool:
        return self._assign_groups(sent, is_alone=True) or self._assign_groups(sent, is_alone=False)

    @property
    def unknown_names(self) -> set[str]:
        """Names that were sent and whose contents are not known."""
        named = {piece.name for sent in self.recorded for piece in sent.pieces if not _is_known(piece)}
        return (named | {piece.name for piece in self.undetermined}) - self.found.keys() - {""}

    def _find_unknown_pieces(self, sent: RecordedContent) -> tuple[list[ExpectedPiece], list[Part]] | None:
        """Return the unknown pieces and the rest of the message for them; `None` if that is ambiguous."""
        pieces = [self._fill_known(each) for each in sent.pieces]
        rest = _merge_texts(sent.parts, self.joiner)
        while pieces and _is_known(pieces[0]):
            if not _strip_piece(rest, pieces.pop(0), self.joiner, is_front=True):
                return None
        while pieces and _is_known(pieces[-1]):
            if not _strip_piece(rest, pieces.pop(), self.joiner, is_front=False):
                return None
        return (pieces, rest) if pieces else None

    def _fill_known(self, reply: ExpectedPiece) -> ExpectedPiece:
        """Return a piece with its content, if it is known."""
        parts = self.found.get(reply.name)
        if parts is None or _is_known(reply):
            return reply
        words = len(parts) == 1 and isinstance(parts[0], Text)
        text = parts[0].text if words and isinstance(parts[0], Text) else "" if not parts else None
        return replace(reply, text=text, parts=() if text is not None else parts)

    def _assign_groups(self, sent: RecordedContent, *, is_alone: bool) -> bool:
        """Solve a message with one unknown piece, or with one for each group of parts; return whether it helped."""
        left = self._find_unknown_pieces(sent)
        if left is None or any(_is_known(each) for each in left[0]):
            return False
        pieces, rest = left
        if is_alone:
            return len(pieces) == 1 and self._assign_parts(pieces, [rest], sent)
        groups = _group_parts(rest)
        return len(groups) == len(pieces) and self._assign_parts(pieces, groups, sent)

    def _assign_common_lines(self, sent: RecordedContent, alike: Mapping[str, str]) -> bool:
        """Assign the common first lines of messages to the name that they begin with; return whether it helped."""
        left = self._find_unknown_pieces(sent)
        name = left[0][0].name if left is not None and len(left[0]) > 1 else ""
        if left is None or not alike.get(name):
            return False
        self.doubts.setdefault(name, "where it ends; these are the lines with which all messages that have it begin")
        return self._assign_parts([left[0][0]], [(Text(alike[name]),)], sent)

    def _guess_contents(self, sent: RecordedContent) -> bool:
        """Assign content that cannot be split: all words to the first name, none to others; return if it helped."""
        left = self._find_unknown_pieces(sent)
        if left is None:
            return False
        pieces, rest = left
        known_idx = next((idx for idx, each in enumerate(pieces) if _is_known(each)), len(pieces))
        if known_idx < len(pieces):
            return self._split_around(pieces, known_idx, rest, sent)
        lines = rest[0].text.split(self.joiner) if self.joiner and len(rest) == 1 and isinstance(rest[0], Text) else []
        if len(lines) == len(pieces):
            for each in pieces:
                self.doubts.setdefault(each.name, "where it begins and ends; there are as many lines as values")
            return self._assign_parts(pieces, [(Text(line),) for line in lines], sent)
        groups = _group_parts(rest)
        if len(groups) > len(pieces):
            groups = [*groups[: len(pieces) - 1], tuple(part for each in groups[len(pieces) - 1 :] for part in each)]
        at = next((idx for idx, each in enumerate(groups) if all(isinstance(part, Text) for part in each)), 0)
        n_missing = len(pieces) - len(groups)
        first = pieces[at].name or pieces[at].expression
        for each in pieces[at + 1 : at + 1 + n_missing]:
            self.doubts.setdefault(each.name, f"where it begins; its text is at the end of `{first}`")
        return self._assign_parts(pieces, [*groups[: at + 1], *[()] * n_missing, *groups[at + 1 :]], sent)

    def _split_around(
        self, pieces: Sequence[ExpectedPiece], known_idx: int, rest: Sequence[Part], sent: RecordedContent
    ) -> bool:
        """Split a message at a known piece into the parts before and after it."""
        text = pieces[known_idx].text
        words = [part.text for part in rest if isinstance(part, Text)]
        if not text or len(words) != 1 or len(rest) != 1:
            return self._give_up(pieces, sent)
        before, separator, behind = words[0].partition(f"{self.joiner}{text}{self.joiner}")
        if not separator:
            return self._give_up(pieces, sent)
        self.recorded.remove(sent)
        self.recorded.append(replace(sent, pieces=tuple(pieces[:known_idx]), parts=(Text(before),)))
        self.recorded.append(replace(sent, pieces=tuple(pieces[known_idx + 1 :]), parts=(Text(behind),)))
        return True

    def _give_up(self, pieces: Sequence[ExpectedPiece], sent: RecordedContent) -> bool:
        self.undetermined.update({each: sent.unit for each in pieces if not _is_known(each)})
        self.recorded.remove(sent)
        return True

    def _assign_parts(
        self, pieces: Sequence[ExpectedPiece], groups: Sequence[Sequence[Part]], sent: RecordedContent
    ) -> bool:
        """Record the content of pieces; return whether any of it is new."""
        is_new = False
        for piece, parts in zip(pieces, groups, strict=True):
            if not piece.name:
                self.undetermined.setdefault(piece, sent.unit)
            elif piece.name not in self.found:
                self.found[piece.name] = self._simplify_result(piece.name, tuple(parts))
                is_new = True
        return is_new

    def _simplify_result(self, name: str, parts: Parts) -> Parts:
        """Reduce a result to its words if other messages have them too."""
        return _read_result_text(parts) if name in self.names_outside_tools else parts


def _is_known(reply: ExpectedPiece) -> bool:
    return reply.text is not None or bool(reply.parts)


def _pair_messages(steps: Iterable[MatchStep]) -> Iterator[tuple[list[ExpectedMessage], list[Unit], bool]]:
    """Yield messages of the spec that became one message of the request, and one that became several."""
    pairs: list[tuple[list[ExpectedMessage], list[Unit], list[bool]]] = []
    by_unit: dict[int, int] = {}
    by_item: dict[ExpectedMessage, int] = {}
    for step in steps:
        if step.item is None or step.unit is None:
            continue
        at = by_item.get(step.item, by_unit.get(id(step.unit)))
        if at is None:
            at = len(pairs)
            pairs.append(([], [], []))
        items, units, are_certain = pairs[at]
        items += [] if step.item in items else [step.item]
        units += [] if any(step.unit is each for each in units) else [step.unit]
        are_certain.append(step.is_certain)
        by_item[step.item] = by_unit[id(step.unit)] = at
    return ((items, units, all(are_certain)) for items, units, are_certain in pairs)


def _read_result_text(parts: Parts) -> Parts:
    """Return the text parts of a single result; other parts unchanged."""
    if len(parts) == 1 and isinstance(parts[0], Output):
        return tuple(part for part in parts[0].parts if isinstance(part, Text))
    return parts


def _merge_texts(parts: Sequence[Part], joiner: str) -> list[Part]:
    """Return the parts with neighbouring texts joined."""
    merged: list[Part] = []
    for is_text, group in groupby(parts, lambda part: isinstance(part, Text)):
        members = list(group)
        texts = [part.text for part in members if isinstance(part, Text)]
        merged += [Text(joiner.join(texts))] if is_text else members
    return merged


def _group_parts(parts: Sequence[Part]) -> list[Parts]:
    """Group parts that belong together: neighbouring calls, and neighbouring other parts."""
    return [
        tuple(group)
        for _, group in groupby(
            parts, lambda part: "calls" if isinstance(part, (Call, Output)) else type(part).__name__
        )
    ]


def _strip_piece(rest: list[Part], reply: ExpectedPiece, joiner: str, *, is_front: bool) -> bool:
    """Remove a known piece from one end of the rest; return whether it was there.

    Parts that are not text, and whole texts, may be elsewhere: providers put calls after words.
    """
    for part in reply.parts or ((Text(reply.text),) if reply.text else ()):
        at = next((idx for idx, each in enumerate(rest) if _is_same(each, part)), None)
        if at is not None:
            rest.pop(at)
        elif not isinstance(part, Text) or not _strip_text(rest, part.text, joiner, is_front=is_front):
            return False
    return True


def _strip_text(rest: list[Part], text: str, joiner: str, *, is_front: bool) -> bool:
    end = rest[0 if is_front else -1] if rest else None
    if not isinstance(end, Text):
        return False
    if is_front and end.text.startswith(text + joiner):
        rest[0] = Text(end.text[len(text) + len(joiner) :])
        return True
    if not is_front and end.text.endswith(joiner + text):
        rest[-1] = Text(end.text[: -len(text) - len(joiner)])
        return True
    return False


def _is_same(one: Part, other: Part) -> bool:
    if isinstance(one, Call) and isinstance(other, Call):
        return one.tool == other.tool and dict(one.args) == dict(other.args)
    return one == other


def _find_common_lines(texts: Iterable[str], joiner: str) -> str:
    """Return the whole lines that several texts begin with, if each text continues after them; otherwise nothing."""
    split = [text.split(joiner) for text in sorted(texts)]
    if len(split) < 2 or not joiner:
        return ""
    common: list[str] = []
    for lines in zip(*(each[:-1] for each in split), strict=False):
        if len(set(lines)) > 1:
            break
        common.append(lines[0])
    return joiner.join(common)
