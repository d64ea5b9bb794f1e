"""Keys and passwords in running text. Knows nothing of data; what is wholly JSON is read as such before."""

import re
from functools import lru_cache

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.redact.named import without_named
from acdl_mkdocs.redact.placed import LOGIN_HINTS, without_logins, without_placed
from acdl_mkdocs.redact.values import REDACTED, has_digit, is_described, is_login, is_random
from acdl_mkdocs.secret_shapes import LIKELY_HINTS, LIKELY_SHAPES, SENDGRID, SHAPE_HINTS, SHAPES

_BEHIND_QUOTES = ('auth"', "auth\\", 'pass"', "pass\\")
_TOKEN_HINTS = ('token"', "token'", "token\\", "token=", "token:", "token =", "-token ", *_BEHIND_QUOTES)
_NAME_HINTS = (
    *("authoriz", "api-key", "api_key", "apikey", "api key", "cookie", "secret", "passw", "passp", "pwd", "private"),
    *("bearer", "basic", "key=", "sig=", "signature=", "access-key", "access_key", "accesskey", "access key"),
    *("accountkey", "account_key", "account-key", "subscription", "signing", "encryption", "master", "shared"),
    *LOGIN_HINTS,
    *("-auth", "_auth", "passcode", "passkey", "jwt", "ssh_key", "ssh-key", "sshkey"),
    *("key-data", "service_key", "service-key", "servicekey", "credential", *_TOKEN_HINTS),
)
"""One of these, in lower case, is in every text with a secret that has a name."""
_NO_TOKEN_HINT = frozenset(_NAME_HINTS) - frozenset(_TOKEN_HINTS)
_ESCAPES = ("\\u00", "\\/")
"""In JSON, they may hide the others."""
_SHAPE_HINTS = tuple(
    dict.fromkeys(hint for hints in (*SHAPE_HINTS.values(), LIKELY_HINTS) for hint in hints if hint != SENDGRID)
)
_LIKELY = re.compile("|".join(LIKELY_SHAPES))
_SCHEME = re.compile(
    r"(authorization\\{0,9}[\"']?\s{0,3}[:=]\s{0,3}\\{0,9}[\"']?([a-z][a-z0-9-]{1,30})\s{1,3})"
    r"((?>(?:[a-z][\w-]{0,40}=(?:\"[^\"\r\n]{0,2000}\"|[^\s,\"'`]{0,2000})(?:,\s{0,3})?)+)|[^\s\"'`\\<>,;]{1,4000})",
    re.IGNORECASE,
)
_SCHEMES = {"bearer", "basic", "token", "bot", "apikey", "key", "jwt", "negotiate", "ssws", "oauth"}
_BEARER = re.compile(r"\b(bearer|basic)(\s{1,3})([A-Za-z0-9._~+/-]{8,}+=*)", re.IGNORECASE)
_COOKIE = re.compile(
    r"(\b(?:set-)?cookie2?[\"']?\s{0,3}[:=]\s{0,3}\\{0,9}[\"']?)([\w!#$%&*.^|~+-]{1,100}=[^\s\"'`\\][^\r\n\"'`\\]{0,4000})",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(:(?:\\{0,9}/){2}[^\s/:@\"'<>\\]{0,100}:)([^\s/\"'<>\\]{1,100})(?=@)")
_TOKEN_AS_LOGIN = re.compile(r"(:(?:\\{0,9}/){2})([A-Za-z0-9_-]{20,200})(?=@)")
_LOGIN_OR_TOKEN = re.compile(f"{_LOGIN.pattern}|{_TOKEN_AS_LOGIN.pattern}")
_LEAST = 8
_MOST_TIMES = 8
_FROM = 20_000
"""From so many characters on, base64 is a picture or another file: by chance it has many hints, but never a key."""
_BASE64 = rf"[A-Za-z0-9+/]{{{_FROM},}}+={{0,2}}"
_FILE = re.compile(_BASE64)
_FILE_IN_ADDRESS = re.compile(rf"(;base64,{_BASE64})")
_FILE_IN_QUOTES = re.compile(rf'"{_BASE64}(?=\\{{0,9}}")')
_KEY_IN_BASE64 = "LS0tLS1CRUdJTi"


@dataclass(frozen=True, slots=True)
class Hints:
    """Words of which one is in every text with a secret: looking for them is many times faster than the patterns."""

    names: tuple[str, ...] = _NAME_HINTS
    shapes: tuple[str, ...] = _SHAPE_HINTS


_HINTS_OF_LIKELY = frozenset(LIKELY_HINTS)
ALL_HINTS = Hints()


def _without_files(text: str) -> str:
    """A text, or JSON, without pictures and other files in base64, which would take nearly all of the time."""
    if len(text) < _FROM or _KEY_IN_BASE64 in text:
        return text
    if _FILE.fullmatch(text):
        return ""
    return _FILE_IN_QUOTES.sub('"', _FILE_IN_ADDRESS.sub("", text))


def hints_in(text: str) -> Hints | None:
    """Those of the hints that what a JSON text says can have; `None` if it has no secret."""
    text = _without_files(text)
    lower = text.lower()
    if any(escape in lower for escape in _ESCAPES):
        return ALL_HINTS
    names = tuple(hint for hint in _NAME_HINTS if hint in lower)
    if not _NO_TOKEN_HINT.issuperset(names):  # a quote behind a name has a backslash before it, or not
        names = (*(hint for hint in names if hint in _NO_TOKEN_HINT), *_TOKEN_HINTS)
    hints = Hints(names, tuple(hint for hint in _SHAPE_HINTS if hint in lower))
    return hints if names or hints.shapes or _has_other(text) else None


def may_have_secrets(text: str, hints: Hints = ALL_HINTS) -> bool:
    """Whether a text, or the JSON in it, needs a closer look."""
    text = _without_files(text)
    lower = text.lower()
    return (
        any(hint in lower for hint in hints.shapes)
        or any(hint in lower for hint in hints.names)
        or any(escape in lower for escape in _ESCAPES)
        or _has_other(text)
    )


def _has_other(text: str) -> bool:
    """Whether there is something that no hint is for."""
    return SENDGRID in text or ("@" in text and "//" in text and _LOGIN_OR_TOKEN.search(text) is not None)


def without_secrets(text: str, hints: Hints = ALL_HINTS) -> str:
    """A text without the keys and passwords that can be told from other words; doing so again changes nothing."""
    if len(text) >= _FROM and _KEY_IN_BASE64 not in text and len(parts := _FILE_IN_ADDRESS.split(text)) > 1:
        return "".join(part if number % 2 else without_secrets(part, hints) for number, part in enumerate(parts))
    for _ in range(_MOST_TIMES):  # what is taken out may have stood between a name and its value
        found = _without_secrets(text, hints)
        if found == text:
            break
        text = found
    return text


def _without_secrets(text: str, hints: Hints) -> str:
    lower = text.lower()
    if any(hint in lower for hint in hints.names if hint not in LOGIN_HINTS):
        text = _without_named(text, lower)
    if any(hint in lower for hint in LOGIN_HINTS):
        text = without_logins(text)
    if "@" in text:
        text = _LOGIN.sub(_without_value, text)
        text = _TOKEN_AS_LOGIN.sub(_without_random, text)
    found = tuple(hint for hint in hints.shapes if hint in lower) + ((SENDGRID,) if SENDGRID in text else ())
    if shapes := _shapes_with(found):
        text = shapes.sub(_without_shape, text)
    if not _HINTS_OF_LIKELY.isdisjoint(found):
        text = _LIKELY.sub(lambda found: _without_shape(found) if is_random(found[0]) else found[0], text)
    return text


@lru_cache(maxsize=256)
def _shapes_with(hints: tuple[str, ...]) -> re.Pattern[str] | None:
    """The shapes that a text with some hints can have, as one pattern."""
    found = [SHAPES[kind] for kind, of_kind in SHAPE_HINTS.items() if not set(of_kind).isdisjoint(hints)]
    return re.compile("|".join(f"(?:{pattern})" for pattern in found)) if found else None


def _without_named(text: str, lower: str) -> str:
    if "cookie" in lower:
        text = _COOKIE.sub(_without_value, text)
    if "authorization" in lower:
        text = _SCHEME.sub(_without_credentials, text)
    if "bearer" in lower or "basic" in lower:
        text = _BEARER.sub(_without_bearer, text)
    lower = text.lower()
    if len(lower) != len(text):  # a letter that is two in lower case
        lower = re.sub("[A-Z]+", lambda found: found[0].lower(), text)
    return without_placed(without_named(text, lower))


def _without_value(found: re.Match[str]) -> str:
    return found[0] if is_described(found[2]) else found[1] + REDACTED


def _without_random(found: re.Match[str]) -> str:
    return found[1] + REDACTED if has_digit(found[2]) and is_random(found[2]) else found[0]


def _without_credentials(found: re.Match[str]) -> str:
    """What stands behind `Authorization:` and a word for the way of it."""
    value = found[3].rstrip(".,;:!?)")
    if is_described(value):
        return found[0]
    is_known = found[2].lower() in _SCHEMES and len(value) >= _LEAST
    is_one = is_known or "=" in value or (has_digit(value) and len(value) >= _LEAST)
    return found[1] + REDACTED if is_one else found[0]


def _without_bearer(found: re.Match[str]) -> str:
    """In prose, these two words are adjectives or nouns too."""
    is_one = is_login(found[3]) if found[1].lower() == "basic" else is_random(found[3])
    return f"{found[1]}{found[2]}{REDACTED}" if is_one else found[0]


def _without_shape(found: re.Match[str]) -> str:
    return found[0] if re.search(r"x{4,}|your|example", found[0], re.IGNORECASE) else REDACTED
