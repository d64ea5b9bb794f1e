"""The address and key of an endpoint, and when a request is repeated."""

import os
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from ipaddress import ip_address
from urllib.parse import urlsplit

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models.model import ModelSettingsError

OPENAI_URL = "https://api.openai.com/v1"
KEY_NAME = "OPENAI_API_KEY"
_EXAMPLE = "write it as `http://localhost:8000/v1`"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and the name of the variable with its key.

    Raises:
        ModelSettingsError: The address is not that of a server.
    """

    base_url: str = OPENAI_URL
    key_name: str = KEY_NAME
    """Environment variable; local servers need none."""

    def __post_init__(self) -> None:
        url = self.base_url.strip()
        try:
            parts = urlsplit(url)
            is_port_fine = parts.port is None or parts.port > 0
        except ValueError:
            raise ModelSettingsError("the base URL cannot be read", _EXAMPLE) from None
        if parts.username is not None or parts.password is not None:
            raise ModelSettingsError("the base URL has a name or a password in it", f"give the key in {self.key_name}")
        if parts.scheme not in ("http", "https"):
            raise ModelSettingsError(f"the base URL `{url}` does not begin with `http://` or `https://`", _EXAMPLE)
        if not parts.hostname or not is_port_fine or any(each.isspace() or not each.isprintable() for each in url):
            raise ModelSettingsError("the base URL names no server", _EXAMPLE)
        if parts.query or parts.fragment:
            raise ModelSettingsError("the base URL has a part from `?` or `#` on", "leave that part out")
        object.__setattr__(self, "base_url", url.rstrip("/").removesuffix("/chat/completions"))

    @property
    def is_local(self) -> bool:
        """True if it is on this machine, so that no proxy is used."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def read_key(self) -> str | None:
        """Return the key, or `None` if the environment has none.

        Raises:
            ModelSettingsError: The value in the environment cannot be a key.
        """
        key = os.environ.get(self.key_name, "").strip()
        if any(not each.isascii() or not each.isprintable() for each in key):
            raise ModelSettingsError(f"the key in {self.key_name} has characters that no key has", "copy it again")
        return key or None

    def remove_key(self, text: str) -> str:
        """Remove the key from a text of the server."""
        key = self.read_key()
        return text.replace(key, "(key)") if key else text

    def remove_key_from(self, data: bytes) -> bytes:
        """Remove the key from an answer of the server, in case it repeats it."""
        key = self.read_key()
        return data.replace(key.encode("ascii"), b"(key)") if key else data


_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of retries."""

    max_attempts: int = 6
    first_wait_s: float = 0.5
    """Doubles with each attempt."""
    longest_wait_s: float = 30.0
    """Longest wait, even if the server asks for more."""
    attempt_s: float = 180.0
    """Longest time of one attempt."""
    deadline_s: float = 600.0
    """Longest time of all attempts and waits together."""
    seed: int = 0
    """Seed of the jitter: the same seed, request and attempt give the same wait."""

    def wait_s(self, attempt: int, request: bytes, asked_s: float | None = None) -> float:
        """Return how long to wait after a failed attempt (counted from 1).

        By default between half and all of the doubled wait; never less than the server asks for, unless that is more
        than `longest_wait_s`.
        """
        full_wait_s = min(self.longest_wait_s, self.first_wait_s * 2.0 ** min(attempt - 1, 60))
        digest = blake2b(f"{self.seed}/{attempt}/".encode() + request, digest_size=4).digest()
        jittered = full_wait_s * (0.5 + int.from_bytes(digest, "big") / 2**33)
        return jittered if asked_s is None else min(self.longest_wait_s, max(asked_s, 0.0))


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return a server's `Retry-After`: seconds or an HTTP date; `None` if there is no usable value.

    Parameters:
        headers: Names in lower case.
        now_s: Seconds since 1970.
    """
    value = headers.get("retry-after", "")
    seconds = _SECONDS.fullmatch(value)
    if seconds:
        return float(seconds[1])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now_s)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
