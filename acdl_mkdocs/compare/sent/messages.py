"""The messages of two prompts at one point: which are equal, and how the others changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Literal, TypeAlias

from acdl_mkdocs.compare.sent.words import ChangedWords, changed_words, cut_excerpt
from acdl_mkdocs.evaluation import transcript
from acdl_mkdocs.evaluation.transcript import Piece, SentMessage
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.sequences import Pairs, match_equal, match_heaviest
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.prompt import get_text

MessageKind: TypeAlias = Literal["added", "removed", "moved", "changed", "role"]
_FEW_PAIRS = 16_384
"""Up to this many pairs of messages are weighed one by one."""
_MOST_REMEMBERED = 65_536
_LEAST_LIKE = 0.3
_MOST_LIKENED = 2_000
"""The number of characters of a message to compare for similarity."""
_SOLE_WEIGHT = 0.05
_MOST_BEGINNING = 24
"""Characters at the beginning of messages that are too many to be weighed."""
_MOST_UNKNOWN = 24


@dataclass(frozen=True)
class ComparedMessage:
    """A message, prepared for comparison."""

    number: int
    """Its number in the prompt, from 1."""
    message: SentMessage
    key: bytes
    """The same for messages of one role and one content."""
    unknown: tuple[str, ...]
    """Contents that the state does not have, by their names."""

    @cached_property
    def text(self) -> str:
        """The message as text; parts without text are named."""
        return "\n".join(map(_part_text, self.message.parts))

    @cached_property
    def word_counts(self) -> Counter[str]:
        """The words of the message with their counts, up to a limit."""
        return Counter(self.text[:_MOST_LIKENED].split())


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """A message of one side."""

    number: int
    """Its number in the prompt, from 1."""
    role: prompt.Role
    """The role with which it is sent."""
    source: Source
    """The text with the spec, or that of the fragment that it comes from."""
    span: Span
    """Of the message in the spec, or in the file of its fragment."""
    rounds: str
    """The rounds of loops around it, such as `t = 2`."""

    @property
    def line(self) -> int:
        """The 1-based line on which it begins."""
        return self.source.find_place(self.span.start).line


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A changed or moved message."""

    kind: MessageKind
    """`added`, `removed`, `moved` (another position among the others), `changed` (other content), or `role` (same
    content, other role)."""
    old: MessagePlace | None
    """The message of the old prompt; `None` if it was added."""
    new: MessagePlace | None
    """The message of the new prompt; `None` if it was removed."""
    words: tuple[ChangedWords, ...] = ()
    """The words that differ; for an added, removed or moved message, its beginning."""
    has_other_parts: bool = False
    """Whether the words are the same but a part without words differs: an image, the id of a call."""
    unknown: tuple[str, ...] = ()
    """Contents of it that the state does not have: it is unknown whether they really differ."""


def make_compared(number: int, message: SentMessage) -> ComparedMessage:
    """Return a message with its key; unknown content is represented by its name, without the comment of a preview."""
    unknown = tuple(piece.resolved for piece in message.pieces if piece.status != "given")
    if unknown:
        message = replace(message, pieces=tuple(map(_replace_unknown, message.pieces)))
    content = repr((message.role, message.parts, unknown)).encode("utf-8", "surrogatepass")
    return ComparedMessage(number, message, blake2b(content, digest_size=16).digest(), unknown)


class MessageSimilarity:
    """The similarity of two messages, from 0 to 1, cached because the next point has most of them too."""

    def __init__(self) -> None:
        """Start without results."""
        self._shares: dict[tuple[bytes, bytes], float] = {}
        self._words: dict[tuple[bytes, bytes], tuple[ChangedWords, ...]] = {}

    def __call__(self, old: ComparedMessage, new: ComparedMessage) -> float:
        """Return the share of words that both messages have."""
        key = (old.key, new.key)
        share = self._shares.get(key)
        if share is None:
            if len(self._shares) >= _MOST_REMEMBERED:
                self._shares.clear()
            n_all = old.word_counts.total() + new.word_counts.total()
            share = self._shares[key] = 2 * (old.word_counts & new.word_counts).total() / n_all if n_all else 1.0
        return share

    def differing_words(self, old: ComparedMessage, new: ComparedMessage) -> tuple[ChangedWords, ...]:
        """Return the words that differ between two messages; results are cached."""
        key = (old.key, new.key)
        words = self._words.get(key)
        if words is None:
            words = self._words[key] = changed_words(old.text, new.text)
        return words


def _replace_unknown(piece: Piece) -> Piece:
    return piece if piece.status == "given" else replace(piece, text=f"⟦{piece.resolved}⟧", parts=())


def compare_messages(
    old: Sequence[ComparedMessage], new: Sequence[ComparedMessage], similarity: MessageSimilarity, *, with_words: bool
) -> tuple[tuple[MessageChange, ...], int]:
    """Return the changes of the messages of a prompt, and how many messages are unchanged and in place.

    Parameters:
        old: The messages of the old prompt.
        new: The messages of the new prompt.
        similarity: The cached similarities of other points.
        with_words: Whether to include the words that changed.
    """
    unchanged = match_equal([each.key for each in old], [each.key for each in new], is_exact=True)
    if len(unchanged) == len(old) == len(new):
        return (), len(unchanged)
    old_of: dict[int, tuple[int, MessageKind]] = {}
    taken = {i for i, _ in unchanged}
    fixed = {j for _, j in unchanged}
    for i, j in _match_moved(old, new, taken, fixed):
        old_of[j] = i, "moved"
        taken.add(i)
    for i, j in _match_changed(old, new, unchanged, taken, fixed | set(old_of), similarity):
        is_other_role = old[i].message.role != new[j].message.role
        old_of[j] = i, "role" if is_other_role else "changed"
        taken.add(i)
    return tuple(_order_changes(old, new, unchanged, old_of, taken, similarity if with_words else None)), len(unchanged)


def _match_moved(
    old: Sequence[ComparedMessage], new: Sequence[ComparedMessage], taken: set[int], fixed: set[int]
) -> Iterator[tuple[int, int]]:
    """Match messages whose position among the others changed."""
    places: dict[bytes, list[int]] = {}
    for i in range(len(old) - 1, -1, -1):
        if i not in taken:
            places.setdefault(old[i].key, []).append(i)
    for j, each in enumerate(new):
        if j not in fixed and places.get(each.key):
            yield places[each.key].pop(), j


def _match_changed(
    old: Sequence[ComparedMessage],
    new: Sequence[ComparedMessage],
    unchanged: Pairs,
    taken: set[int],
    fixed: set[int],
    similarity: MessageSimilarity,
) -> Iterator[tuple[int, int]]:
    """Match similar messages between the same neighbours."""
    left = right = 0
    for i, j in (*unchanged, (len(old), len(new))):
        olds = [at for at in range(left, i) if at not in taken]
        news = [at for at in range(right, j) if at not in fixed]
        left, right = i + 1, j + 1
        if not olds or not news:
            continue
        for one, other in _match_similar([old[at] for at in olds], [new[at] for at in news], similarity):
            yield olds[one], news[other]


def _match_similar(olds: list[ComparedMessage], news: list[ComparedMessage], similarity: MessageSimilarity) -> Pairs:
    if len(olds) * len(news) <= _FEW_PAIRS:
        sole = _sole_roles(olds) & _sole_roles(news)
        return match_heaviest(olds, news, lambda one, other: _pair_weight(one, other, sole, similarity))
    beginnings = [[(each.message.role, each.text[:_MOST_BEGINNING]) for each in side] for side in (olds, news)]
    return match_equal(*beginnings)


def _pair_weight(
    old: ComparedMessage, new: ComparedMessage, sole: frozenset[str], similarity: MessageSimilarity
) -> float:
    """Return how likely it is that one message became the other; 0 for not at all."""
    if old.message.role != new.message.role:
        return 1.0 if old.text == new.text else 0.0
    like = similarity(old, new)
    is_sole = old.message.role in sole
    return max(like if like >= _LEAST_LIKE else 0.0, _SOLE_WEIGHT if is_sole else 0.0)


def _sole_roles(messages: Sequence[ComparedMessage]) -> frozenset[str]:
    counts = Counter(each.message.role for each in messages)
    return frozenset(role for role, count in counts.items() if count == 1)


def _order_changes(
    old: Sequence[ComparedMessage],
    new: Sequence[ComparedMessage],
    unchanged: Pairs,
    old_of: dict[int, tuple[int, MessageKind]],
    taken: set[int],
    similarity: MessageSimilarity | None,
) -> Iterator[MessageChange]:
    """Yield all changes in the order of the new prompt; a removed message follows its old predecessor."""
    left = right = 0
    for i, j in (*unchanged, (len(old), len(new))):
        removed = [at for at in range(left, i) if at not in taken]
        for at in range(right, j):
            before, kind = old_of.get(at, (None, "added"))
            while removed and before is not None and removed[0] < before < i:
                yield _make_change("removed", old[removed.pop(0)], None, similarity)
            yield _make_change(kind, None if before is None else old[before], new[at], similarity)  # type: ignore[arg-type]
        for at in removed:
            yield _make_change("removed", old[at], None, similarity)
        left, right = i + 1, j + 1


def _make_change(
    kind: MessageKind, old: ComparedMessage | None, new: ComparedMessage | None, similarity: MessageSimilarity | None
) -> MessageChange:
    words: tuple[ChangedWords, ...] = ()
    has_other_parts = kind == "changed" and old is not None and new is not None and old.text == new.text
    if similarity and kind == "changed" and old and new and not has_other_parts:
        words = similarity.differing_words(old, new)
    elif similarity:
        words = cut_excerpt((new or old).text)  # type: ignore[union-attr]  # one of the two is there
    unknown = dict.fromkeys((*(old.unknown if old else ()), *(new.unknown if new else ())))
    return MessageChange(
        kind, _message_place(old), _message_place(new), words, has_other_parts, tuple(unknown)[:_MOST_UNKNOWN]
    )


def _message_place(sent: ComparedMessage | None) -> MessagePlace | None:
    if sent is None:
        return None
    origin = sent.message.origin
    return MessagePlace(
        sent.number, sent.message.role, origin.source, origin.span, transcript.format_stack(sent.message.stack)
    )


def _part_text(part: prompt.Part) -> str:
    """Return a part in words; a part without words is named."""
    match part:
        case prompt.Text() | prompt.Output():
            return get_text(part)
        case prompt.Call():
            return f"call {get_text(part)}"
        case prompt.Thinking():
            return f"thinking {get_text(part)}".strip()
        case prompt.Attachment():
            return get_text(part) or f"{part.type} {part.path or part.href or part.name or ''}".strip()
        case _:
            return get_text(part)
