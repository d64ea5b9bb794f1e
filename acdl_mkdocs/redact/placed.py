"""Secrets in texts that stand beside a name in another way than behind `=` or `:`.

Options of commands (`--password …`, `curl -u name:…`), elements and attributes of XML, pairs of a program
(`('x-api-key', '…')`), lines of `.netrc`, addresses of Go, and prose (`the password is …`). Reads a text once for each.
"""

import re

from acdl_mkdocs.redact.names import kind_of
from acdl_mkdocs.redact.values import REDACTED, has_digit, is_described, is_likely, is_random, is_secret

_NAME = r"[A-Za-z][\w.-]{0,79}"
_VALUE = r"(?:\"(?P<double>[^\"\n]{1,4000})|'(?P<single>[^'\n]{1,4000})|(?P<bare>[^\s\"'`\\<>|;]{4,4000}))"
_OPTION = re.compile(rf"(?<![\w-])--?(?P<name>{_NAME})[ \t]{{1,3}}{_VALUE}")
_ELEMENT = re.compile(
    rf"<(?:[\w-]{{1,40}}:)?(?P<name>{_NAME})(?:\s[^<>]{{0,200}})?>\s{{0,9}}(?P<bare>[^<>\s][^<>]{{0,4000}})(?=</)"
)
_ATTRIBUTE = re.compile(rf"\b(?:name|key|id|type)=[\"'](?P<name>{_NAME})[\"']\s{{1,9}}value=(?=[\"']){_VALUE}")
_PAIR = re.compile(rf"[(\[]b?[\"'](?P<name>{_NAME})[\"'],\s{{0,3}}b?(?=[\"']){_VALUE}(?=[\"'][)\]])")
_PROSE = re.compile(
    r"\b(?P<name>password|passphrase|api[ _-]?key|secret|token)\s(?:is|was)(?: now)?:?\s{1,3}"
    r"(?:\"(?P<double>[^\s\"]{4,200})|'(?P<single>[^\s']{4,200})|`?(?P<bare>[^\s\"'`]{4,200}))",
    re.IGNORECASE,
)
_LOGINS = (
    re.compile(
        r"(\bcurl\b[^\n|;]{0,120}?\s(?:-u|--user|--proxy-user)[\s=]{0,3}[\"']?[^\s:\"'@]{1,100}:)([^\s\"'`\\]{1,200})"
    ),
    re.compile(r"(\bsshpass\s{1,3}-p\s{0,3}[\"']?)([^\s\"'`\\]{1,200})"),
    re.compile(r"(\bmysql\w{0,10}\b[^\n|;]{0,120}?\s-p[\"']?)([^\s\"'`\\]{4,200})"),
    re.compile(r"(\b[\w.-]{1,64}:)([^\s:@/\"'`\\]{1,100})(?=@(?:tcp|unix)\()"),
)
"""What stands before a password where no name does, and the password."""
LOGIN_HINTS = ("curl", "sshpass", "mysql", "@tcp(", "@unix(")
_NETRC = re.compile(r"(\blogin\s{1,9}\S{1,100}\s{1,9}password\s{1,9})(\S{1,200})")
_LEAST = 6


def without_placed(text: str) -> str:
    """A text without secrets that stand beside names."""
    for hints, pattern, replace in _PATTERNS:
        if any(hint in text for hint in hints):  # looking for words is many times faster
            text = pattern.sub(replace, text)
    return text


def without_logins(text: str) -> str:
    """A text without the passwords of logins."""
    for pattern in _LOGINS:
        text = pattern.sub(_without_login, text)
    return text


def _without_marked(found: re.Match[str]) -> str:
    """What a program marks with a name, as it does with `name=value`."""
    value, kind = _value(found), kind_of(found["name"])
    is_one = is_secret(value, kind) and not is_described(value) and not _is_prose(value)
    return _replaced(found, value) if is_one else found[0]


def _without_clear(found: re.Match[str]) -> str:
    """What is only taken for a secret if it is none of the words of a sentence or a list of names."""
    value = _value(found).rstrip(".,;:!?)]}")
    if not kind_of(found["name"]) or is_described(value) or kind_of(value) or _is_prose(value):
        return found[0]
    is_password = found["name"].lower().rpartition("-")[2].startswith("pass")
    is_one = is_random(value) or (is_password and has_digit(value) and len(value) >= _LEAST and is_likely(value))
    return _replaced(found, value) if is_one else found[0]


def _without_login(found: re.Match[str]) -> str:
    """A number is a group of users, and no password."""
    return found[0] if is_described(found[2]) or found[2].isdigit() else found[1] + REDACTED


_PATTERNS = (
    ((" -", "\n-", "\t-"), _OPTION, _without_clear),
    (("('", '("', "['", '["', "(b'", '(b"'), _PAIR, _without_clear),
    ((" is ", " was ", " is: ", " is:\n"), _PROSE, _without_clear),
    (("login ",), _NETRC, _without_login),
    (("</",), _ELEMENT, _without_marked),
    (("value=",), _ATTRIBUTE, _without_marked),
)
"""With the words of which one has to be there."""


def _is_prose(value: str) -> bool:
    return any(each.isspace() for each in value.strip())


def _value(found: re.Match[str]) -> str:
    return next(value for key, value in found.groupdict().items() if key != "name" and value is not None)


def _replaced(found: re.Match[str], value: str) -> str:
    at = found.start(next(key for key, each in found.groupdict().items() if key != "name" and each is not None))
    begin = at - found.start()
    return found[0][:begin] + REDACTED + found[0][begin + len(value) :]
