"""Whether a value can be a secret: it is no placeholder for one, and where that matters, it looks made by chance."""

import base64
import binascii
import re

from acdl_mkdocs.redact.names import Kind

REDACTED = "[redacted]"
_PLACEHOLDER = re.compile(
    r"(?:(?:bearer|basic|token)\s+)?(?:<[^<>]*>(?::<[^<>]*>)?|\{\{[^{}]*\}\}|\{[^{}]*\}|\$\{\{[^{}]*\}\}|(?-i:\$[A-Z_][A-Z0-9_]*)"
    r"|(?-i:\$\{[A-Z_][A-Z0-9_]*(?::?[?-])?\})|%(?-i:[A-Z_]+)%|%\([a-z_]+\)s|%s|(?:[a-z]{1,8}[-_]){0,3}(?:x{3,}|\.{2,}|…|\*+)|[_*.-]+"
    r"|(?:your|my|the|insert|enter|replace)[-_ ][a-z_ -]*|\[?redacted\]?(?: [0-9]+)?|changeme|change[-_]me|placeholder"
    r"|example(?:[-_ ]?(?:key|token|secret|password|value))?|none|null|true|false)",
    re.IGNORECASE,
)
"""What stands for a secret, from its beginning to its end: a spec or its documentation may say it."""
_DESCRIBED = frozenset(
    (
        *(
            "str",
            "string",
            "text",
            "bytes",
            "int",
            "integer",
            "number",
            "bool",
            "boolean",
            "any",
            "varchar",
            "secretstr",
        ),
        *("optional", "required", "hidden", "secret", "token", "password", "passwd", "pass", "pwd", "key", "value"),
        *("header", "undefined", "nil", "bearer", "basic", "digest", "auth", "authentication", "authorization"),
        *(
            "credentials",
            "needed",
            "missing",
            "invalid",
            "incorrect",
            "correct",
            "wrong",
            "expired",
            "valid",
            "changed",
        ),
        *("reset", "unknown", "empty", "denied", "granted", "failed", "success", "self", "read", "write", "tokens"),
    )
)
"""What prose, programs and settings say of a secret, and is none."""
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_WORD_WITH_NUMBER = re.compile(r"[A-Za-z]+[0-9]{1,3}")
_NO_LETTER_OR_DIGIT = re.compile(r"[^A-Za-z0-9]+")
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
_COOKIES = re.compile(r"\s*[\w!#$%&'*.^|~+-]{1,100}=\S")
_LOCATION = re.compile(r"[~.]{0,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]{1,20}://")
_LEAST_PART, _LONG_PART, _LEAST_LIKELY, _LONG_LIKELY = 8, 20, 6, 16


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret."""
    return _PLACEHOLDER.fullmatch(value.strip()) is not None


def is_described(value: str) -> bool:
    """Whether a text has words about a secret in its place."""
    return is_placeholder(value) or _SCHEME.sub("", value.lower(), count=1) in _DESCRIBED


def has_digit(value: str) -> bool:
    """Whether there is a digit in a value."""
    return _DIGIT.search(value) is not None


def is_random(value: str) -> bool:
    """Whether a value looks made by chance: a part of it mixes letters and digits as no word does, or is very long."""
    return any(_is_random_part(part) for part in _NO_LETTER_OR_DIGIT.split(value))


def _is_random_part(part: str) -> bool:
    if len(part) >= _LONG_PART:
        return True
    is_mixed = has_digit(part) and _LETTER.search(part) is not None
    return len(part) >= _LEAST_PART and is_mixed and not _WORD_WITH_NUMBER.fullmatch(part)


def is_secret(value: str, kind: Kind) -> bool:
    """Whether what stands under a name of a kind is a secret."""
    if not kind or not value or is_placeholder(value):
        return False
    if kind == "login":
        return is_login(value)
    if kind == "cookie":
        return _COOKIES.match(value) is not None
    return kind == "secret" or is_likely(value)


def is_login(value: str) -> bool:
    """Whether a value is a name and a password in base64."""
    try:
        said = base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    return ":" in said and said.isprintable()


def is_likely(value: str) -> bool:
    """Whether a value is one word that is no common one, and says no place."""
    if any(each.isspace() for each in value) or _LOCATION.match(value):
        return False
    is_mixed = has_digit(value) and _LETTER.search(value) is not None
    return len(value) >= _LONG_LIKELY or (len(value) >= _LEAST_LIKELY and is_mixed)
