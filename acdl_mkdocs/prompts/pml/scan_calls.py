"""`scan_calls()`: positions of calls at the end of a text; `warn_missed_call()`: text probably meant as one."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml.xml_text import escape_unescaped

_IS_TAG = r"/?(?:call|arg)(?=[\s/>])"
_KEY = r"""\s++[^\s<>="'/&]++\s*+=\s*+"""
_MODES = (False, True)
"""Strict and lenient."""


def _value_pattern(quote: str, is_lenient: bool) -> str:
    """Return a pattern of the text between quotes; a lenient one allows `<` that does not begin a tag of a call."""
    strict = f"[^{quote}<]*+"
    return strict + repeat_possessively(rf"<(?!{_IS_TAG}){strict}") if is_lenient else strict


def _opening_pattern(is_lenient: bool) -> re.Pattern[str]:
    """Return a pattern of a whole opening tag, which skips most text that only begins like one.

    In a lenient pass it has an attribute, so that `<call>` in a sentence is not a call.
    """
    values = "|".join(f"{quote}{_value_pattern(quote, is_lenient)}{quote}" for quote in "\"'")
    return re.compile(rf"<call(?:{_KEY}(?:{values})){'+' if is_lenient else '*'}+\s*+/?>")


_OPEN = re.compile(r"<call(?=[\s/>])")
_OPENINGS = {is_lenient: _opening_pattern(is_lenient) for is_lenient in _MODES}
_ATTRIBUTE = re.compile(rf"({_KEY})([\"'])")
_VALUES = {
    (quote, is_lenient): re.compile(_value_pattern(quote, is_lenient)) for quote in "\"'" for is_lenient in _MODES
}
_TEXTS = {
    False: re.compile(r"[^<]*+"),
    True: re.compile("[^<]*+" + repeat_possessively(rf"<(?!{_IS_TAG}|!\[CDATA\[)[^<]*+")),
}
_SPACE = re.compile(r"\s*+")
_ARG = re.compile(r"<arg(?=[\s/>])")
_END = re.compile(r"</call\s*+>")
_END_ARG = re.compile(r"</arg\s*+>")
_NO_ARGUMENTS = ("name", "id")
_WHITE = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_IS_WHITE = re.compile("[\t\n\r]")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


@dataclass(frozen=True, slots=True)
class ScannedCall:
    """Text that looks like a call."""

    span: Span
    text: str
    """The repaired text; apart from `kept`, unchanged in a strict pass."""
    repairs: tuple[str, ...] = ()
    """Repairs made in `text`."""
    kept: tuple[str, ...] = ()
    """Attributes with line ends or tabs, which XML reads as spaces; `text` has references for them."""


def scan_calls(text: str, *, is_lenient: bool = False) -> tuple[ScannedCall, ...]:
    """Return the calls that end a text, with only white space between and after them.

    Parameters:
        text: What a model has written.
        is_lenient: Whether `&` and `<` may be unescaped, and `</arg>` and `</call>` be missing before the next tag,
            or `</call>` at the end.
    """
    if not text.rstrip().endswith(">"):
        return ()
    scan = _CallScanner(text, is_lenient)
    run: list[ScannedCall] = []
    at = 0
    while opened := _OPENINGS[is_lenient].search(text, at):
        call = scan.scan_call(opened.start())
        at = opened.end() if call is None else call.span.end
        if call is None or (run and not _is_blank(text, run[-1].span.end, call.span.start)):
            run.clear()
        if call is not None:
            run.append(call)
    return tuple(run) if run and _is_blank(text, run[-1].span.end, len(text)) else ()


def scan_call(text: str, at: int) -> ScannedCall | None:
    """Return the call at a position, wherever it ends, read leniently if necessary; `None` if there is none.

    Parameters:
        text: The output of a model.
        at: Offset of `<call`.
    """
    calls = (_CallScanner(text, is_lenient).scan_call(at) for is_lenient in _MODES)
    return next((each for each in calls if each is not None), None)


def _is_blank(text: str, start: int, end: int) -> bool:
    return not text[start:end].strip()


class _NoCallError(Exception):
    """The text at this position is not a call."""


class _CallScanner:
    """Reads the calls of one text. No part of the text is read more than a few times, whatever its content."""

    def __init__(self, text: str, is_lenient: bool) -> None:
        self.text = text
        self.is_lenient = is_lenient
        self.next_end = -1
        """Position of the next `]]>`, if it is known; past the text if there is none."""
        self.dead: set[int] = set()
        """Ends of CDATA after which no call ends."""
        self.seen: list[int] = []
        """Ends of CDATA of the call that is being read."""
        self.pieces: list[str] = []
        self.repairs: list[str] = []
        self.kept: list[str] = []

    def scan_call(self, at: int) -> ScannedCall | None:
        """Return the call that begins here, if there is one."""
        self.pieces, self.repairs, self.kept, self.seen = [], [], [], []
        try:
            end = self.scan_body(at)
        except _NoCallError:
            self.dead.update(self.seen)
            return None
        text = "".join(self.pieces) if self.repairs or self.kept else self.text[at:end]
        return ScannedCall(Span(at, end), text, tuple(dict.fromkeys(self.repairs)), tuple(self.kept))

    def scan_body(self, at: int) -> int:
        """Return the end of the call."""
        at, is_empty = self.scan_tag(at, "<call")
        while not is_empty:
            inner = self.skip_space(at)
            if _ARG.match(self.text, inner):
                at = self.scan_argument(inner)
            elif ended := _END.match(self.text, inner):
                self.pieces.append("</call>")
                return ended.end()
            elif self.is_lenient and (inner == len(self.text) or _OPEN.match(self.text, inner)):
                self.pieces.append("</call>")
                self.repairs.append("the missing `</call>` is added")
                return at
            else:
                raise _NoCallError
        return at

    def scan_tag(self, at: int, name: str) -> tuple[int, bool]:
        """Return the end of an opening tag, and whether it is self-closing."""
        self.pieces.append(name)
        at += len(name)
        while match := _ATTRIBUTE.match(self.text, at):
            quote = match[2]
            value = self.match_pattern(_VALUES[quote, self.is_lenient], match.end())
            at = match.end() + len(value) + 1
            if self.text[at - 1 : at] != quote:
                raise _NoCallError
            value = self.escape_text(value)
            key = match[1].rstrip().removesuffix("=").strip()
            if name == "<call" and key not in _NO_ARGUMENTS and _IS_WHITE.search(value):
                self.kept.append(key)
                value = _IS_WHITE.sub(lambda white: _WHITE[white[0]], value)
            self.pieces += (match[0], value, quote)
        at = self.skip_space(at)
        for end in ("/>", ">"):
            if self.text.startswith(end, at):
                self.pieces.append(end)
                return at + len(end), end == "/>"
        raise _NoCallError

    def scan_argument(self, at: int) -> int:
        """Return the end of an argument."""
        at, is_empty = self.scan_tag(at, "<arg")
        while not is_empty:
            text = self.match_pattern(_TEXTS[self.is_lenient], at)
            at += len(text)
            self.pieces.append(self.escape_text(text))
            if self.text.startswith(_CDATA, at):
                end = self.find_cdata_end(at)
                self.pieces.append(self.text[at:end])
                at = end
            elif ended := _END_ARG.match(self.text, at):
                self.pieces.append("</arg>")
                return ended.end()
            elif self.is_lenient and (_ARG.match(self.text, at) or _END.match(self.text, at)):
                self.pieces.append("</arg>")
                self.repairs.append("the missing `</arg>` is added")
                return at
            else:
                raise _NoCallError
        return at

    def find_cdata_end(self, at: int) -> int:
        """Return the end of a CDATA section."""
        start = at + len(_CDATA)
        if self.next_end < start:
            position = self.text.find(_CDATA_END, start)
            self.next_end = position if position >= 0 else len(self.text)
        end = self.next_end + len(_CDATA_END)
        if self.next_end == len(self.text) or end in self.dead:
            raise _NoCallError
        self.seen.append(end)
        return end

    def escape_text(self, spelled: str) -> str:
        """Escape text for XML."""
        if not self.is_lenient:
            return spelled
        amends = escape_unescaped(spelled)
        if amends is None:
            raise _NoCallError
        if amends != spelled:
            self.repairs.append("`&` and `<` that are not escaped are read as they are")
        return amends

    def skip_space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def match_pattern(self, pattern: re.Pattern[str], at: int) -> str:
        match = pattern.match(self.text, at)
        return match[0] if match else ""


CURE_OF_MARKUP = (
    'write `&amp;` for `&`, `&lt;` for `<` and `&quot;` for `"` in values, quotes around every value, and end every tag'
)
_CURE_OF_SPELLING = 'write `<call name="tool" key="value"/>`, at the end of the answer'
_CURE_OF_CONTENT = 'write each argument as an attribute, or as `<arg key="...">...</arg>` in the call'
_FOREIGN = re.compile(
    r"<call\s[^<>]*+(?<!/)>\s*+(?>(?:<arg\s[^<>]*+(?:(?<=/)>|>[^<]*+</arg>)\s*+)*)"
    r"(?!<arg[\s>/]|</call)(?:(?P<tag><[A-Za-z][\w.:-]{0,39})|[^\s<])"
)
"""A call with something that is no argument in it, such as `<city>` or JSON."""
_MOST_TRIED = 50
"""Places that begin like calls."""
_CALL = re.compile("<call", re.IGNORECASE)
_HEAD = re.compile(r"<call\s[^<>]{0,300}?\bname\s*+=", re.IGNORECASE)
_ANY_END = re.compile(r"/>|</call\s*+>", re.IGNORECASE)
_AROUND = "assistant|turn|conversation|prompt|message|answer|response|calls|tool_calls?|function_calls?"
_CLOSERS = re.compile(repeat_possessively(rf"\s++|</(?:{_AROUND})\s*+>|[`~.,;:!*_)\]]++"))
"""Text that means nothing by itself: ends of tags around calls, of a fence, of a sentence."""
_QUOTES = "`\"'\u2018\u201c\u00ab("
_LISTED = re.compile(
    r"(?>(?:[ \t]*(?:[-*+\u2022>]|[0-9]{1,3}[.)])(?=[ \t>])[ \t]*)+)(?:\[[ xX]\][ \t]+)?(?:[^\n]{0,200}:)?[\s*_`]*"
)
"""Text before a call in its line that shows a list or a quotation, perhaps after words that end in a colon."""
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[^\n`]*+\s*+")
_OTHERS = re.compile(
    r"<(?P<around>tool_?calls?|function_?calls?|tool_?use|call)>\s*(?:[<{\[]|[\w.-]{1,100}\s*<arg_key>)"
    r"|<(?P<named>(?:\w{1,20}:)?invoke|function|tool_?(?:call|use)|function_?call)(?:=|\s+name\s*=)\s*[\"'\w]"
    r"|&lt;(?P<escaped>call)\s[^<>]{0,300}?\bname\s*="
    r"|<\s+(?P<spaced>call)\s[^<>]{0,300}?\bname\s*="
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?(?:_section)?(?:_begin)?(?:\|>|>)|<start_function_call>"
    r"|<\uff5ctool\u2581calls?\u2581begin\uff5c>|<\|channel\|>commentary to="
    r"|\{\s*\"name\"\s*:\s*\"[\w.-]{1,100}\"\s*,\s*\"(?:arguments|parameters)\"\s*:\s*[{\"]",
    re.IGNORECASE,
)
"""Beginnings of calls in the formats of providers and of models, and misspellings of `<call`."""


def warn_missed_call(text: str) -> Diagnostic | None:
    """Warn about the last part of an answer without calls; `None` if nothing looks like a call.

    Parameters:
        text: What the model has written.
    """
    at = _find_last_call(text)
    problem = None if at is None else _warn_missed_end(text, at)
    return problem or next(_warn_other_formats(text), None)


def warn_missed_before(text: str) -> Diagnostic | None:
    """Warn about text before the calls of an answer; `None` if no line of it begins with a call.

    Parameters:
        text: What the model has written before the first call that is made.
    """
    at = _find_last_call(text)
    problem = None if at is None or _is_thought(text, at) else _warn_missed_line(text, at)
    return problem or next(
        (each for each in _warn_other_formats(text) if not _is_thought(text, each.label.span.start)), None
    )


def warn_listed_call(text: str, span: Span) -> Diagnostic | None:
    """Warn about a call that ends an answer inside a list or a quotation; `None` if it is in neither.

    Such calls are often choices or examples, and only the last one of a list would be made.

    Parameters:
        text: The output of the model.
        span: Position of the first call at its end.
    """
    return _warn_misplaced(text, span, "") if _is_listed(text, span) else None


def _warn_missed_end(text: str, at: int) -> Diagnostic | None:
    """Warn about text at a position that begins like a call, if it was probably meant as one."""
    call = _scan_at(text, at)
    end = _ANY_END.search(text, at) if call is None else None
    if call is None and end is None:
        if _is_quoted(text, at):
            return None
        cure = "write the whole call again, with less text before it"
        return _make_warning(Span(at, len(text)), "the answer ends inside a call", cure)
    span = Span(at, end.end()) if end is not None else Span(at, call.span.end if call else len(text))
    if not _is_at_end(text, span):
        return None
    if call is None:
        return _warn_unreadable(text, span)
    cure = "end the answer with the calls: no words, no full stop, no fence and no tag after them"
    return _warn_misplaced(text, span, cure)


def _warn_missed_line(text: str, at: int) -> Diagnostic | None:
    """Warn about text at a position that begins like a call, if it is at the beginning of a line or in a list."""
    call = _scan_at(text, at)
    end = _ANY_END.search(text, at)
    span = call.span if call is not None else Span(at, end.end() if end is not None else len(text.rstrip()))
    if not _begins_line(text, span) and not _is_listed(text, span):
        return None
    if call is None:
        return _warn_unreadable(text, span)
    return _warn_misplaced(text, span, "end the answer with the calls: write no words and no full stop between them")


def _warn_other_formats(text: str) -> Iterator[Diagnostic]:
    """Warn about calls in other formats."""
    unclosed: set[str] = set()
    for match in islice(_OTHERS.finditer(text), _MOST_TRIED):
        closing = _closing_pattern(match)
        end = None if closing in unclosed else re.compile(closing, re.IGNORECASE).search(text, match.end())
        if end is None:
            unclosed.add(closing)
        span = Span(match.start(), len(text) if end is None else end.end())
        if _begins_line(text, span) or _is_listed(text, span) or (end is not None and _is_at_end(text, span)):
            yield _make_warning(span, _warn_other_format(match), _CURE_OF_SPELLING)


def _closing_pattern(match: re.Match[str]) -> str:
    """Return a pattern of the end of a call of another format; it never matches if only the text ends the call."""
    if match["escaped"]:
        return "/&gt;|&lt;/call&gt;|/>"
    if match["named"] or match["spaced"]:
        return f"/>|</{re.escape(match['named'] or match['spaced'])}>"
    return f"</{re.escape(match['around'])}>" if match["around"] else "(?!)"


def _warn_other_format(match: re.Match[str]) -> str:
    """Describe the problem of a call of another format."""
    if match["escaped"]:
        return "`&lt;call` is text, so the call is not made"
    if match["spaced"]:
        return "this looks like a call, but has white space before `call`, so it is text"
    beginning = " ".join(match[0].rstrip("{[<\"' \n").split())[:40]
    return f"`{beginning}` begins a call of another format, which is text here"


def _warn_misplaced(text: str, span: Span, cure: str) -> Diagnostic:
    """Warn about a readable call at a position where calls are not made."""
    message = "something follows the call, so it is not made"
    if _is_listed(text, span):
        message = "the call is in a list or a quotation, so it is not made"
        cure = "end the answer with the calls that are meant, each at the beginning of a line"
    return warning("misplaced-text", message, Label(span, "this is text too"), help=cure)


def _warn_unreadable(text: str, span: Span) -> Diagnostic:
    """Warn about text that looks like a call and cannot be read."""
    if not text.startswith("<call", span.start):
        name = text[span.start + 1 : span.start + 5]
        return _make_warning(span, f"`<{name}` is not `<call`, so the call is not made", _CURE_OF_SPELLING)
    foreign = _FOREIGN.match(text, span.start)
    if foreign:
        content = f"`{foreign['tag']}>`" if foreign["tag"] else "text"
        return _make_warning(span, f"there is {content} in the call, so it is not made", _CURE_OF_CONTENT)
    return _make_warning(span, "this looks like a call, but cannot be read", CURE_OF_MARKUP)


def _make_warning(span: Span, message: str, cure: str) -> Diagnostic:
    return warning("not-xml", message, Label(span, "this is text"), help=cure)


def _find_last_call(text: str) -> int | None:
    """Return where the last `<call` that names a tool begins, ignoring case."""
    begun = deque(_CALL.finditer(text), maxlen=_MOST_TRIED)
    return next((each.start() for each in reversed(begun) if _HEAD.match(text, each.start())), None)


def _scan_at(text: str, at: int) -> ScannedCall | None:
    """Return the call at a position; `None` if its tag is in capitals."""
    return scan_call(text, at) if text.startswith("<call", at) else None


def _is_at_end(text: str, span: Span) -> bool:
    """Return whether a call is where calls are made: at the end, or before closing signs, or at the start of a line."""
    behind = _CLOSERS.match(text, span.end)
    if behind is not None and behind.end() == len(text):
        return not _is_quoted(text, span.start) or _is_listed(text, span)
    return _begins_line(text, span) or _is_listed(text, span)


def _begins_line(text: str, span: Span) -> bool:
    """Return whether its line has nothing before it except the start of a fence."""
    line = text.rfind("\n", 0, span.start) + 1
    before = text[line : span.start]
    return not before.strip() or _FENCE.fullmatch(before) is not None


def _is_listed(text: str, span: Span) -> bool:
    """Return whether it ends an item of a list, or a line of a quotation."""
    line = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    behind = text[span.end : len(text) if end < 0 else end]
    if not _CLOSERS.fullmatch(behind):
        return False
    return _LISTED.fullmatch(text, line, span.start) is not None


def _is_thought(text: str, at: int) -> bool:
    return text.rfind("<thinking>", 0, at) > text.rfind("</thinking>", 0, at)


def _is_quoted(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in _QUOTES
