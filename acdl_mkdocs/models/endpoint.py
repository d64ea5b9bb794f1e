"""Where an endpoint is and how it knows us: the address and the key, checked before anything is sent.

The key is read from the environment when the first request of a process is made; no value and no message has it.
"""

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.models.model_errors import ModelSettingsError

OPENAI_URL = "https://api.openai.com/v1"
KEY_NAME = "OPENAI_API_KEY"
_EXAMPLE = "write it as `http://localhost:8000/v1`"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and the name of the variable with its key.

    Raises:
        ModelSettingsError: The address is none of a server.
    """

    base_url: str = OPENAI_URL
    key_name: str = KEY_NAME
    """Variable of the environment; servers on one's own machine need none."""

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
        """Whether it is on this machine, so that no proxy is asked."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def key(self) -> str | None:
        """The key, or `None` where the environment has none.

        Raises:
            ModelSettingsError: What the environment has cannot be a key.
        """
        key = os.environ.get(self.key_name, "").strip()
        if any(not each.isascii() or not each.isprintable() for each in key):
            raise ModelSettingsError(f"the key in {self.key_name} has characters that no key has", "copy it again")
        return key or None

    def without_key(self, text: str) -> str:
        """A text of the server with the key taken out."""
        key = self.key()
        return text.replace(key, "(key)") if key else text

    def without_key_in(self, data: bytes) -> bytes:
        """An answer of the server with the key taken out, should it repeat it."""
        key = self.key()
        return data.replace(key.encode("ascii"), b"(key)") if key else data
