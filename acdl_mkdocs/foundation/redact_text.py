"""Keys and passwords in running text. Knows nothing about data; text that is wholly JSON is parsed before."""

import re
import string
from functools import lru_cache

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.secrets import (
    LIKELY_HINTS,
    LIKELY_SHAPES,
    LONGEST,
    REDACTED,
    SENDGRID,
    SHAPE_HINTS,
    SHAPES,
    Kind,
    classify_name,
    has_digit,
    is_description,
    is_likely,
    is_login,
    is_placeholder,
    is_random,
    is_secret,
)

_HEAD = re.compile(
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|key(?:-data)?|authorization|signature|sig|credentials?)s?"
    r"(?:\\{0,9}[\"']|&quot;|&#3[49];|%2[27])?\s{0,3}(?:=>|:=|=(?!=)|:(?!:)|%3[ad])\s{0,3}"
)
"""The last word of a name, and the text between it and a value; in lower case."""
_QUOTED = re.compile(
    r"b?\\{0,9}(?:\"([^\"\\\n]{1,4000})|'([^'\\\n]{1,4000})|(?:&quot;|&#3[49];|%2[27])([^\"'&%\\\n]{1,4000}))"
)
_MOST_OF_VALUE = 200
_BARE = re.compile(rf"[^\s\"'`\\<>]{{1,{_MOST_OF_VALUE}}}")
"""Limit of a value to look at, so that a long row of names takes no longer than other text."""
_IN_ADDRESS_END = re.compile("[&#?]")
_WORD = re.compile("[a-z]+(?:-data)?")
_REST = re.compile(r"[^\s\"'`\\<>,;&]*")
_IN_NAMES = f"{string.ascii_letters}{string.digits}_.-"
_PHRASE = re.compile(r"(?:api|access|secret)\s\Z", re.IGNORECASE)
"""Before `key`, in prose."""
_NEXT = re.compile(r"[,;&](?=[\w.-]{1,60}[=:]|\Z)")
"""Between a value and the next name."""
_CODE = re.compile(r"\$[({].*|(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*[(\[].*|[\[({].*|&.*|![a-z].*", re.ASCII)
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_TYPE = re.compile(r"[A-Za-z]*[a-z](?:Credential|Key|Secret|Token)s?")
"""Code that appears in programs and settings in place of a value."""
_LINE_BEGIN = re.compile(r"(?:[\s>#*+|-]|export\s|set\s|env\s|\$env:)*[\"']?\Z", re.IGNORECASE)
_LINE_END = re.compile(r"[\"'`]|\\[nr\"']|[ \t]{0,99}(?:[\r\n]|\Z)")
_LEAST_AFTER_NAME, _LEAST_WITH_DIGIT = 4, 6


def redact_after_names(text: str, lower: str) -> str:
    """Return the text without secrets that follow a name.

    Parameters:
        text: The text.
        lower: The same in lower case, letter by letter.
    """
    pieces, done = [], 0
    for head in _HEAD.finditer(lower):
        if head.start() < done:
            continue
        begin, end = _find_secret_after(text, head.start(), head.end(), head[0])
        if begin < end:
            pieces += [text[done:begin], REDACTED]
            done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _find_secret_after(text: str, begin: int, at: int, head: str) -> tuple[int, int]:
    """Return start and end of the value that belongs to a name; an empty range if it is not a secret."""
    start, name = _find_name_before(text, begin, head)
    is_in_address = start > 0 and text[start - 1] in "?&" and head.endswith("=")
    kind = classify_name(name)
    if not kind and not is_in_address:
        return at, at
    quoted = _QUOTED.match(text, at)
    if quoted:
        which = quoted.lastindex or 0
        return quoted.span(which) if _is_quoted(quoted[which], kind, head) else (at, at)
    bare = _BARE.match(text, at)
    if not bare:
        return at, at
    if is_in_address:
        value = _IN_ADDRESS_END.split(bare[0], maxsplit=1)[0]
        length = len(value) if _is_in_address(value, name, kind) else 0
    else:
        length = _bare_length(text, start, name, bare, kind, head)
    if length == _MOST_OF_VALUE:
        rest = _REST.match(text, at + length)
        length += len(rest[0]) if rest else 0
    return at, at + length


def _find_name_before(text: str, begin: int, head: str) -> tuple[int, str]:
    """Return where the name before a value begins, and the name."""
    before = text[max(0, begin - LONGEST) : begin]
    start = begin - len(before) + len(before.rstrip(_IN_NAMES))
    if 0 < start < begin and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1  # the letter of an escape
    word = _WORD.match(head)
    name = text[start : begin + (word.end() if word else 0)]
    return start, "api-key" if name.lower() == "key" and _PHRASE.search(before) else name


def _is_quoted(value: str, kind: Kind, head: str) -> bool:
    is_data = any(quote in head for quote in "\"'")
    is_prose = not is_data and (value[0] in "),;:]}" or any(each.isspace() for each in value))
    is_name = classify_name(value) != "" and not has_digit(value) and ("_" in value or "-" in value)
    return not is_prose and not is_name and not is_description(value) and is_secret(value, kind)


def _is_in_address(value: str, name: str, kind: Kind) -> bool:
    if kind:
        return is_secret(value, kind)
    is_signature = name.lower() == "key" or name.lower().endswith(("sig", "signature"))
    return is_signature and is_random(value) and not is_placeholder(value)


def _bare_length(text: str, start: int, name: str, bare: re.Match[str], kind: Kind, head: str) -> int:
    """Return the length of the unquoted secret that starts with a word."""
    line = text[max(0, start - LONGEST) : start].rpartition("\n")[2]
    is_line = _LINE_BEGIN.match(line) is not None
    is_variable = name.isupper() and head.endswith("=") and not any(each.isspace() for each in head)
    words = bare[0]
    value = words if is_variable and is_line else _NEXT.split(words, maxsplit=1)[0]
    if not is_variable and not is_placeholder(value):
        value = value.rstrip(".,;:!?)]}")
    if is_description(value) or _is_code(value, is_variable=is_variable):
        return 0
    if kind == "likely":
        is_found = is_random(value) or ((is_variable or name.lower() == "pwd") and is_secret(value, kind))
    else:
        is_assigned = is_line and (head[-1].isspace() or head[-1] == "=")
        is_end = value == words and _LINE_END.match(text, bare.end()) is not None
        is_alone = is_end and (is_assigned or "-" in name)
        is_found = _has_enough(value, _LEAST_AFTER_NAME if is_variable or is_alone else _LEAST_WITH_DIGIT)
        is_found = is_found and (is_variable or is_alone or has_digit(value))
    return len(value) if is_found else 0


def _is_code(value: str, *, is_variable: bool) -> bool:
    """Return whether a value is code: a call, an attribute, a variable or a type of that name."""
    if _CODE.fullmatch(value) or (not is_variable and (classify_name(value) or _TYPE.fullmatch(value))):
        return True
    return _ATTRIBUTE.fullmatch(value) is not None and not is_random(value)


def _has_enough(value: str, least: int) -> bool:
    return len(value) >= (_LEAST_AFTER_NAME if value.isdigit() else least)


_NAME = r"[A-Za-z][\w.-]{0,79}"
_VALUE = r"(?:\"(?P<double>[^\"\n]{1,4000})|'(?P<single>[^'\n]{1,4000})|(?P<bare>[^\s\"'`\\<>|;]{4,4000}))"
_OPTION = re.compile(rf"(?<![\w-])--?(?P<name>{_NAME})[ \t]{{1,3}}{_VALUE}")
_ELEMENT = re.compile(
    rf"<(?:[\w-]{{1,40}}:)?(?P<name>{_NAME})(?:\s[^<>]{{0,200}})?>\s{{0,9}}(?P<bare>[^<>\s][^<>]{{0,4000}})(?=</)"
)
_ATTRIBUTE_VALUE = re.compile(rf"\b(?:name|key|id|type)=[\"'](?P<name>{_NAME})[\"']\s{{1,9}}value=(?=[\"']){_VALUE}")
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
"""The text before a password without a name, and the password."""
LOGIN_HINTS = ("curl", "sshpass", "mysql", "@tcp(", "@unix(")
_NETRC = re.compile(r"(\blogin\s{1,9}\S{1,100}\s{1,9}password\s{1,9})(\S{1,200})")
_LEAST_BESIDE_NAME = 6


def redact_beside_names(text: str) -> str:
    """Return the text without secrets that are marked by a name in another way than `name=value`."""
    for hints, pattern, replace in _PATTERNS:
        if any(hint in text for hint in hints):  # searching for words is many times faster
            text = pattern.sub(replace, text)
    return text


def redact_logins(text: str) -> str:
    """Return a text without the passwords of logins."""
    for pattern in _LOGINS:
        text = pattern.sub(_redact_login, text)
    return text


def _redact_marked(match: re.Match[str]) -> str:
    """Redact a value that a program marks with a name, as `name=value` does."""
    value, kind = _matched_value(match), classify_name(match["name"])
    is_one = is_secret(value, kind) and not is_description(value) and not _is_prose(value)
    return _replace_value(match, value) if is_one else match[0]


def _redact_clear(match: re.Match[str]) -> str:
    """Redact a value unless it is a word of a sentence or of a list of names."""
    value = _matched_value(match).rstrip(".,;:!?)]}")
    if not classify_name(match["name"]) or is_description(value) or classify_name(value) or _is_prose(value):
        return match[0]
    is_password = match["name"].lower().rpartition("-")[2].startswith("pass")
    is_one = is_random(value) or (
        is_password and has_digit(value) and len(value) >= _LEAST_BESIDE_NAME and is_likely(value)
    )
    return _replace_value(match, value) if is_one else match[0]


def _redact_login(match: re.Match[str]) -> str:
    """Redact a password, but not a number, which is a group of users."""
    return match[0] if is_description(match[2]) or match[2].isdigit() else match[1] + REDACTED


_PATTERNS = (
    ((" -", "\n-", "\t-"), _OPTION, _redact_clear),
    (("('", '("', "['", '["', "(b'", '(b"'), _PAIR, _redact_clear),
    ((" is ", " was ", " is: ", " is:\n"), _PROSE, _redact_clear),
    (("login ",), _NETRC, _redact_login),
    (("</",), _ELEMENT, _redact_marked),
    (("value=",), _ATTRIBUTE_VALUE, _redact_marked),
)
"""With the words of which one has to be there."""


def _is_prose(value: str) -> bool:
    return any(each.isspace() for each in value.strip())


def _matched_value(match: re.Match[str]) -> str:
    return next(value for key, value in match.groupdict().items() if key != "name" and value is not None)


def _replace_value(match: re.Match[str], value: str) -> str:
    at = match.start(next(key for key, each in match.groupdict().items() if key != "name" and each is not None))
    begin = at - match.start()
    return match[0][:begin] + REDACTED + match[0][begin + len(value) :]


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
"""From this many characters on, base64 is a picture or another file: it has many hints by chance, but never a key."""
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


def _drop_files(text: str) -> str:
    """Return a text or JSON without base64 files, which would take nearly all of the time."""
    if len(text) < _FROM or _KEY_IN_BASE64 in text:
        return text
    if _FILE.fullmatch(text):
        return ""
    return _FILE_IN_QUOTES.sub('"', _FILE_IN_ADDRESS.sub("", text))


def find_hints(text: str) -> Hints | None:
    """Return the hints that can occur in the strings of a JSON text; `None` if it has no secret."""
    text = _drop_files(text)
    lower = text.lower()
    if any(escape in lower for escape in _ESCAPES):
        return ALL_HINTS
    names = tuple(hint for hint in _NAME_HINTS if hint in lower)
    if not _NO_TOKEN_HINT.issuperset(names):  # a quote after a name may have a backslash before it
        names = (*(hint for hint in names if hint in _NO_TOKEN_HINT), *_TOKEN_HINTS)
    hints = Hints(names, tuple(hint for hint in _SHAPE_HINTS if hint in lower))
    return hints if names or hints.shapes or _has_other(text) else None


def may_have_secrets(text: str, hints: Hints = ALL_HINTS) -> bool:
    """Return whether a text, or the JSON in it, needs a closer look."""
    text = _drop_files(text)
    lower = text.lower()
    return (
        any(hint in lower for hint in hints.shapes)
        or any(hint in lower for hint in hints.names)
        or any(escape in lower for escape in _ESCAPES)
        or _has_other(text)
    )


def _has_other(text: str) -> bool:
    """Return whether a text has a secret that no hint covers."""
    return SENDGRID in text or ("@" in text and "//" in text and _LOGIN_OR_TOKEN.search(text) is not None)


def redact_secrets(text: str, hints: Hints = ALL_HINTS) -> str:
    """Return the text without recognisable keys and passwords; applying it again changes nothing."""
    if len(text) >= _FROM and _KEY_IN_BASE64 not in text and len(parts := _FILE_IN_ADDRESS.split(text)) > 1:
        return "".join(part if number % 2 else redact_secrets(part, hints) for number, part in enumerate(parts))
    for _ in range(_MOST_TIMES):  # a removed secret may have been between a name and its value
        redacted = _redact_once(text, hints)
        if redacted == text:
            break
        text = redacted
    return text


def _redact_once(text: str, hints: Hints) -> str:
    lower = text.lower()
    if any(hint in lower for hint in hints.names if hint not in LOGIN_HINTS):
        text = _redact_named(text, lower)
    if any(hint in lower for hint in LOGIN_HINTS):
        text = redact_logins(text)
    if "@" in text:
        text = _LOGIN.sub(_redact_value, text)
        text = _TOKEN_AS_LOGIN.sub(_redact_random, text)
    hinted = tuple(hint for hint in hints.shapes if hint in lower) + ((SENDGRID,) if SENDGRID in text else ())
    if shapes := _shapes_pattern(hinted):
        text = shapes.sub(_redact_shape, text)
    if not _HINTS_OF_LIKELY.isdisjoint(hinted):
        text = _LIKELY.sub(lambda match: _redact_shape(match) if is_random(match[0]) else match[0], text)
    return text


@lru_cache(maxsize=256)
def _shapes_pattern(hints: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return one pattern for the shapes of secrets that a text with these hints can have."""
    patterns = [SHAPES[kind] for kind, of_kind in SHAPE_HINTS.items() if not set(of_kind).isdisjoint(hints)]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


def _redact_named(text: str, lower: str) -> str:
    if "cookie" in lower:
        text = _COOKIE.sub(_redact_value, text)
    if "authorization" in lower:
        text = _SCHEME.sub(_redact_credentials, text)
    if "bearer" in lower or "basic" in lower:
        text = _BEARER.sub(_redact_bearer, text)
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose lower case has two characters
        lower = re.sub("[A-Z]+", lambda match: match[0].lower(), text)
    return redact_beside_names(redact_after_names(text, lower))


def _redact_value(match: re.Match[str]) -> str:
    return match[0] if is_description(match[2]) else match[1] + REDACTED


def _redact_random(match: re.Match[str]) -> str:
    return match[1] + REDACTED if has_digit(match[2]) and is_random(match[2]) else match[0]


def _redact_credentials(match: re.Match[str]) -> str:
    """Redact the credentials after `Authorization:` and the word for the scheme."""
    value = match[3].rstrip(".,;:!?)")
    if is_description(value):
        return match[0]
    is_known = match[2].lower() in _SCHEMES and len(value) >= _LEAST
    is_one = is_known or "=" in value or (has_digit(value) and len(value) >= _LEAST)
    return match[1] + REDACTED if is_one else match[0]


def _redact_bearer(match: re.Match[str]) -> str:
    """Redact the credentials after `Bearer` or `Basic`, which may also be ordinary words."""
    is_one = is_login(match[3]) if match[1].lower() == "basic" else is_random(match[3])
    return f"{match[1]}{match[2]}{REDACTED}" if is_one else match[0]


def _redact_shape(match: re.Match[str]) -> str:
    return match[0] if re.search(r"x{4,}|your|example", match[0], re.IGNORECASE) else REDACTED
