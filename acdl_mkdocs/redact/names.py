"""Which names of headers, keys and variables have secrets: by their last words, however they are spelled.

`OPENAI_API_KEY`, `x-api-key` and `apiKey` end with the same words. Knows nothing of values.
"""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["", "secret", "likely", "login", "cookie"]
"""What stands under a name: nothing that matters, always a secret, one if it looks so, perhaps a name and a password in
base64, or cookies."""
LONGEST = 80
"""Characters of a name."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = re.compile(
    r".*pass(?:word|wd|phrase)s?(?:-[0-9]+)?|(?:.*-)?(?:authorization(?:-?token)?|secret-?access-?key"
    r"|(?:api|secret|private|access|account|subscription|signing|encryption|master|shared|service)-?keys?"
    r"|(?:client|private)-key-data"
    r"|(?:access|refresh|session|auth|id|bearer|api)token|(?:client|app|consumer)secret)(?:-[0-9]+)?"
    r"|.+-(?:pwd|secret|token)(?:-[0-9]+)?"
)
_LIKELY = re.compile(r"token|secrets?|pwd|credentials?|pass|passcode|passkey|jwt|(?:.*-)?ssh-key")
_LOGIN = re.compile(r"auth|.*-auth")
_COOKIE = re.compile(r"(?:.*-)?cookies?")
_NO_SECRET = re.compile(
    r"(?:.*-)?(?:page|next|prev|previous|first|last|current|cursor|continuation|resume|sync|watch|change|delta|pad|eos"
    r"|bos|unk|mask|sep|cls|stop|start|begin|end|special|image|audio|input|output|max|min|per|by|single|each|design"
    r"|cancellation|count|num|top|new)-token"
)
"""Places in lists, and pieces of text for a model."""


def is_secret_name(name: str) -> bool:
    """Whether a header or a key of an object has such a name that its value is always a secret."""
    return kind_of(name) == "secret"


def kind_of(name: str) -> Kind:
    """What stands under a name."""
    return _kind_of(name) if len(name) <= LONGEST else ""


@lru_cache(maxsize=4096)
def _kind_of(name: str) -> Kind:
    words = "-".join(_WORD.findall(name)).lower()
    if _NO_SECRET.fullmatch(words):
        return ""
    if _SECRET.fullmatch(words):
        return "secret"
    if _LIKELY.fullmatch(words):
        return "likely"
    if _LOGIN.fullmatch(words):
        return "login"
    return "cookie" if _COOKIE.fullmatch(words) else ""
