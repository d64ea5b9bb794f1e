"""How many model tokens a text is, offline, in an encoding that is always named.

`ENCODINGS` is the list; each is loaded when it is first asked for. Knows nothing about messages or prompts: what a
provider adds around a text, such as the frame of a message, is not in the counts.
"""

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.model_tokens import byte_pairs, claude

DEFAULT = "o200k_base"
"""What is counted in where nothing else is asked for, if its packages are installed."""

CHARACTERS_PER_TEN_TOKENS = 36
"""What an estimate takes for granted."""

MAX_REMEMBERED = 16_384
"""Texts whose counts one counter keeps; then it starts again."""


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
    """What counts in an encoding; the same one each time.

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
            return _estimate()
    if encoding not in ENCODINGS:
        near = closest(encoding, ENCODINGS)
        hint = f"; did you mean `{near}`?" if near else f"; there are {', '.join(ENCODINGS)}"
        raise UnknownFormatError(f"no encoding `{encoding}`{hint}")
    return ENCODINGS[encoding]()


def remembered(count: Callable[[str], int], max_texts: int = MAX_REMEMBERED) -> Callable[[str], int]:
    """`count`, which does its work once for each text as long as that is among the last `max_texts`.

    Texts are known by digests, so what is kept stays small however long they are.
    """
    counts: dict[bytes, int] = {}

    def once(text: str) -> int:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = counts.get(key)
        if known is None:
            if len(counts) >= max_texts:
                counts.clear()
            known = counts[key] = count(text)
        return known

    return once


@cache
def _o200k_base() -> Counter:
    return Counter("o200k_base", False, remembered(byte_pairs.BytePairs("o200k_base").count))


@cache
def _cl100k_base() -> Counter:
    return Counter("cl100k_base", False, remembered(byte_pairs.BytePairs("cl100k_base").count))


@cache
def _claude() -> Counter:
    return Counter(f"claude {claude.FAMILY} (reconstruction)", True, remembered(claude.Reconstruction().count))


@cache
def _estimate() -> Counter:
    def count(text: str) -> int:
        return -(-10 * len(text) // CHARACTERS_PER_TEN_TOKENS)  # rounded up

    return Counter(f"estimate (characters / {CHARACTERS_PER_TEN_TOKENS / 10})", True, count)


ENCODINGS: dict[str, Callable[[], Counter]] = {
    "o200k_base": _o200k_base,
    "cl100k_base": _cl100k_base,
    "claude": _claude,
    "estimate": _estimate,
}
"""What counts in each encoding, by the name that it is asked for with."""
