"""Secrets in texts that stand behind a name: `PASSWORD=…`, `api_key: …`, `"token": "…"`, `?key=…`.

Prose, programs and settings say such names too, so what stands behind one is taken for a secret by where it stands: in
quotes, as a variable of an environment, alone in its line, or with a digit in it. Reads a text once.
"""

import re
import string

from acdl_mkdocs.redact.names import LONGEST, Kind, kind_of
from acdl_mkdocs.redact.values import REDACTED, has_digit, is_described, is_placeholder, is_random, is_secret

_HEAD = re.compile(
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|key(?:-data)?|authorization|signature|sig|credentials?)s?"
    r"(?:\\{0,9}[\"']|&quot;|&#3[49];|%2[27])?\s{0,3}(?:=>|:=|=(?!=)|:(?!:)|%3[ad])\s{0,3}"
)
"""The last word of a name, and what stands between it and a value; in lower case."""
_QUOTED = re.compile(
    r"b?\\{0,9}(?:\"([^\"\\\n]{1,4000})|'([^'\\\n]{1,4000})|(?:&quot;|&#3[49];|%2[27])([^\"'&%\\\n]{1,4000}))"
)
_LOOKED_AT = 200
_BARE = re.compile(rf"[^\s\"'`\\<>]{{1,{_LOOKED_AT}}}")
"""As much of a value as is looked at, so that a long row of names takes no longer than other text."""
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
"""What programs and settings have in place of a value."""
_LINE_BEGIN = re.compile(r"(?:[\s>#*+|-]|export\s|set\s|env\s|\$env:)*[\"']?\Z", re.IGNORECASE)
_LINE_END = re.compile(r"[\"'`]|\\[nr\"']|[ \t]{0,99}(?:[\r\n]|\Z)")
_LEAST, _LEAST_WITH_DIGIT = 4, 6


def without_named(text: str, lower: str) -> str:
    """A text without secrets that stand behind names.

    Parameters:
        text: What was said.
        lower: The same in lower case, letter by letter.
    """
    pieces, done = [], 0
    for head in _HEAD.finditer(lower):
        if head.start() < done:
            continue
        begin, end = _secret_behind(text, head.start(), head.end(), head[0])
        if begin < end:
            pieces += [text[done:begin], REDACTED]
            done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _secret_behind(text: str, begin: int, at: int, head: str) -> tuple[int, int]:
    """From where to where the value is that belongs to a name; an empty piece if it is no secret."""
    start, name = _name_before(text, begin, head)
    is_in_address = start > 0 and text[start - 1] in "?&" and head.endswith("=")
    kind = kind_of(name)
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
    if length == _LOOKED_AT:
        rest = _REST.match(text, at + length)
        length += len(rest[0]) if rest else 0
    return at, at + length


def _name_before(text: str, begin: int, head: str) -> tuple[int, str]:
    """Where a name begins, and what it is."""
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
    is_name = kind_of(value) != "" and not has_digit(value) and ("_" in value or "-" in value)
    return not is_prose and not is_name and not is_described(value) and is_secret(value, kind)


def _is_in_address(value: str, name: str, kind: Kind) -> bool:
    if kind:
        return is_secret(value, kind)
    is_signature = name.lower() == "key" or name.lower().endswith(("sig", "signature"))
    return is_signature and is_random(value) and not is_placeholder(value)


def _bare_length(text: str, start: int, name: str, bare: re.Match[str], kind: Kind, head: str) -> int:
    """How long the secret is that a word begins with which stands in no quotes."""
    line = text[max(0, start - LONGEST) : start].rpartition("\n")[2]
    is_line = _LINE_BEGIN.match(line) is not None
    is_variable = name.isupper() and head.endswith("=") and not any(each.isspace() for each in head)
    whole = bare[0]
    value = whole if is_variable and is_line else _NEXT.split(whole, maxsplit=1)[0]
    if not is_variable and not is_placeholder(value):
        value = value.rstrip(".,;:!?)]}")
    if is_described(value) or _is_code(value, is_variable=is_variable):
        return 0
    if kind == "likely":
        is_found = is_random(value) or ((is_variable or name.lower() == "pwd") and is_secret(value, kind))
    else:
        is_told = is_line and (head[-1].isspace() or head[-1] == "=")
        is_end = value == whole and _LINE_END.match(text, bare.end()) is not None
        is_alone = is_end and (is_told or "-" in name)
        is_found = _has_enough(value, _LEAST if is_variable or is_alone else _LEAST_WITH_DIGIT)
        is_found = is_found and (is_variable or is_alone or has_digit(value))
    return len(value) if is_found else 0


def _is_code(value: str, *, is_variable: bool) -> bool:
    """Whether a value is what programs have in its place: a call, an attribute, a variable or a type of such a name."""
    if _CODE.fullmatch(value) or (not is_variable and (kind_of(value) or _TYPE.fullmatch(value))):
        return True
    return _ATTRIBUTE.fullmatch(value) is not None and not is_random(value)


def _has_enough(value: str, least: int) -> bool:
    return len(value) >= (_LEAST if value.isdigit() else least)
