"""Texts and values as YAML that readers of YAML 1.1 and 1.2 read alike: plain if that is safe, otherwise in quotes."""

import re
from functools import cache

from acdl_mkdocs.foundation.json_value import Json

_WORD_LIKE = frozenset(
    ("", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", ".nan", "inf", ".inf", "=", "<<")
)
"""Words that some readers of YAML do not read as text."""
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9a-fA-FxXobB_:.,+TtZz -]*")
"""Numbers, times and dates of any version of YAML, and some texts that look like them."""
_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`\ufeff][^\ufeff]*")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NOT_IN_FLOW = re.compile(r"[,\[\]{}?]")
_BLANKS = (" ", "\t")


def block_scalar(text: str, indent: str) -> str:
    """Write a text behind `key: ` in a map that is indented by `indent`; several lines become a literal block."""
    if "\n" not in text:
        return line_scalar(text)
    if text[-1] == "\n" or _has_unprintable(text) or not text.strip():
        return _quoted(text)
    head = "|2-" if text.lstrip("\n")[:1] in _BLANKS else "|-"
    inner = f"{indent}  "
    lines = (f"{inner}{line}" if line else "" for line in text.split("\n"))
    return f"{head}\n" + "\n".join(lines)


def line_scalar(text: str) -> str:
    """Write a text on one line of a map or list."""
    return text if _is_plain(text) else _quoted(text)


def flow_scalar(text: str) -> str:
    """Write a text inside of `{…}` or `[…]`."""
    return text if _is_plain(text) and not _NOT_IN_FLOW.search(text) else _quoted(text)


def _is_plain(text: str) -> bool:
    return bool(
        _PLAIN.fullmatch(text)
        and ": " not in text
        and " #" not in text
        and text[-1] not in ": "
        and text.lower() not in _WORD_LIKE
        and not _NUMBER_LIKE.fullmatch(text)
        and "\t" not in text
        and not _has_unprintable(text)
        and "\n" not in text
    )


def _has_unprintable(text: str) -> bool:
    return not (text.isascii() and text.isprintable()) and bool(_unprintable().search(text))


@cache
def _unprintable() -> re.Pattern[str]:
    """What a plain scalar cannot contain; compiled on first use, since that takes as long as reading a playbook."""
    return re.compile("[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


@cache
def _escaped() -> re.Pattern[str]:
    """Characters that must be escaped in quotes."""
    return re.compile('["\\\\]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')


def _quoted(text: str) -> str:
    return f'"{_escaped().sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def flow_value(value: Json) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {flow_value(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(flow_value(each) for each in value)}]"
    if isinstance(value, str):
        return flow_scalar(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
