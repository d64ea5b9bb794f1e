"""When and how long to wait before a request is made again. Pure: knows no clock and no network."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from acdl_mkdocs.foundation.frozen import dataclass

_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Patience:
    """How hard a request is tried."""

    max_attempts: int = 6
    first_wait_s: float = 0.5
    """Doubles from attempt to attempt."""
    longest_wait_s: float = 30.0
    """Longest wait, also where the server asks for more."""
    attempt_s: float = 180.0
    """Longest time that one attempt may take."""
    deadline_s: float = 600.0
    """Longest time that all attempts and waits may take together."""
    seed: int = 0
    """Of the jitter: the same seed, request and attempt give the same wait."""

    def wait_s(self, attempt: int, request: bytes, asked_s: float | None = None) -> float:
        """How long to wait after a failed attempt (counted from 1).

        Without a word of the server between half and all of the doubled wait; never less than the server asks for,
        unless that is more than `longest_wait_s`.
        """
        whole = min(self.longest_wait_s, self.first_wait_s * 2.0 ** min(attempt - 1, 60))
        digest = blake2b(f"{self.seed}/{attempt}/".encode() + request, digest_size=4).digest()
        jittered = whole * (0.5 + int.from_bytes(digest, "big") / 2**33)
        return jittered if asked_s is None else min(self.longest_wait_s, max(asked_s, 0.0))


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """What a server's `Retry-After` asks for: seconds or an HTTP date; `None` where it says nothing usable.

    Parameters:
        headers: Names in small letters.
        now_s: Seconds since 1970.
    """
    said = headers.get("retry-after", "")
    seconds = _SECONDS.fullmatch(said)
    if seconds:
        return float(seconds[1])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now_s)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
