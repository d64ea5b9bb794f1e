"""`scan_calls()`: where the calls at the end of a text begin and end, in one pass over it.

Looks at tags only; whether a call is XML, and what it says, is found out by those who read it. In a lenient pass it
also says how a call would have to be written to be XML.
"""

import re

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.spelled import amended

_IS_TAG = r"/?(?:call|arg)(?=[\s/>])"
_KEY = r"""\s++[^\s<>="'/&]++\s*+=\s*+"""
_MODES = (False, True)
"""Strict and lenient."""


def _value(quote: str, is_lenient: bool) -> str:
    """What is between quotes; in a lenient pass also `<`, where it begins no tag of a call."""
    strict = f"[^{quote}<]*+"
    return strict + possessive(rf"<(?!{_IS_TAG}){strict}") if is_lenient else strict


def _opening(is_lenient: bool) -> re.Pattern[str]:
    """A whole opening tag, so that the search passes over most of what only begins like one.

    In a lenient pass it has an attribute, so that `<call>` in a sentence is none.
    """
    values = "|".join(f"{quote}{_value(quote, is_lenient)}{quote}" for quote in "\"'")
    return re.compile(rf"<call(?:{_KEY}(?:{values})){'+' if is_lenient else '*'}+\s*+/?>")


_OPEN = re.compile(r"<call(?=[\s/>])")
_OPENINGS = {is_lenient: _opening(is_lenient) for is_lenient in _MODES}
_ATTRIBUTE = re.compile(rf"({_KEY})([\"'])")
_VALUES = {(quote, is_lenient): re.compile(_value(quote, is_lenient)) for quote in "\"'" for is_lenient in _MODES}
_TEXTS = {
    False: re.compile(r"[^<]*+"),
    True: re.compile("[^<]*+" + possessive(rf"<(?!{_IS_TAG}|!\[CDATA\[)[^<]*+")),
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
class Scanned:
    """What looks like a call."""

    span: Span
    text: str
    """How it has to be written; apart from `kept`, as it is written in a pass that is not lenient."""
    repairs: tuple[str, ...] = ()
    """What is different in `text`."""
    kept: tuple[str, ...] = ()
    """Attributes with line ends or tabs, which XML reads as spaces; `text` has references for them."""


def scan_calls(text: str, *, is_lenient: bool = False) -> tuple[Scanned, ...]:
    """The calls that end a text, with nothing but white space between and behind them.

    Parameters:
        text: What a model has written.
        is_lenient: Whether `&` and `<` may be as they are, and `</arg>` and `</call>` be missing before the next tag,
            or `</call>` at the end.
    """
    if not text.rstrip().endswith(">"):
        return ()
    scan = _Scan(text, is_lenient)
    run: list[Scanned] = []
    at = 0
    while opened := _OPENINGS[is_lenient].search(text, at):
        found = scan.call(opened.start())
        at = opened.end() if found is None else found.span.end
        if found is None or (run and not _is_blank(text, run[-1].span.end, found.span.start)):
            run.clear()
        if found is not None:
            run.append(found)
    return tuple(run) if run and _is_blank(text, run[-1].span.end, len(text)) else ()


def scan_call(text: str, at: int) -> Scanned | None:
    """The call that begins at a place, wherever it ends, read leniently where it must be; `None` where there is none.

    Parameters:
        text: What a model has written.
        at: Where `<call` stands.
    """
    found = (_Scan(text, is_lenient).call(at) for is_lenient in _MODES)
    return next((each for each in found if each is not None), None)


def _is_blank(text: str, start: int, end: int) -> bool:
    return not text[start:end].strip()


class _FailedError(Exception):
    """What stands here is no call."""


class _Scan:
    """Reads calls of one text. No part of the text is read more than a few times, whatever it says."""

    def __init__(self, text: str, is_lenient: bool) -> None:
        self.text = text
        self.is_lenient = is_lenient
        self.next_end = -1
        """Where the next `]]>` is, as far as that is known; past the text where there is none."""
        self.dead: set[int] = set()
        """Ends of CDATA behind which no call ends."""
        self.seen: list[int] = []
        """Ends of CDATA of the call that is being read."""
        self.pieces: list[str] = []
        self.repairs: list[str] = []
        self.kept: list[str] = []

    def call(self, at: int) -> Scanned | None:
        """The call that begins here, if one does."""
        self.pieces, self.repairs, self.kept, self.seen = [], [], [], []
        try:
            end = self.body(at)
        except _FailedError:
            self.dead.update(self.seen)
            return None
        text = "".join(self.pieces) if self.repairs or self.kept else self.text[at:end]
        return Scanned(Span(at, end), text, tuple(dict.fromkeys(self.repairs)), tuple(self.kept))

    def body(self, at: int) -> int:
        """Where the call ends."""
        at, is_empty = self.tag(at, "<call")
        while not is_empty:
            inner = self.space(at)
            if _ARG.match(self.text, inner):
                at = self.arg(inner)
            elif ended := _END.match(self.text, inner):
                self.pieces.append("</call>")
                return ended.end()
            elif self.is_lenient and (inner == len(self.text) or _OPEN.match(self.text, inner)):
                self.pieces.append("</call>")
                self.repairs.append("the missing `</call>` is added")
                return at
            else:
                raise _FailedError
        return at

    def tag(self, at: int, name: str) -> tuple[int, bool]:
        """Where an opening tag ends, and whether it is closed in itself."""
        self.pieces.append(name)
        at += len(name)
        while found := _ATTRIBUTE.match(self.text, at):
            quote = found[2]
            value = self.matched(_VALUES[quote, self.is_lenient], found.end())
            at = found.end() + len(value) + 1
            if self.text[at - 1 : at] != quote:
                raise _FailedError
            value = self.escaped(value)
            key = found[1].rstrip().removesuffix("=").strip()
            if name == "<call" and key not in _NO_ARGUMENTS and _IS_WHITE.search(value):
                self.kept.append(key)
                value = _IS_WHITE.sub(lambda white: _WHITE[white[0]], value)
            self.pieces += (found[0], value, quote)
        at = self.space(at)
        for end in ("/>", ">"):
            if self.text.startswith(end, at):
                self.pieces.append(end)
                return at + len(end), end == "/>"
        raise _FailedError

    def arg(self, at: int) -> int:
        """Where an argument ends."""
        at, is_empty = self.tag(at, "<arg")
        while not is_empty:
            said = self.matched(_TEXTS[self.is_lenient], at)
            at += len(said)
            self.pieces.append(self.escaped(said))
            if self.text.startswith(_CDATA, at):
                end = self.cdata_end(at)
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
                raise _FailedError
        return at

    def cdata_end(self, at: int) -> int:
        """Where a CDATA section ends."""
        start = at + len(_CDATA)
        if self.next_end < start:
            found = self.text.find(_CDATA_END, start)
            self.next_end = found if found >= 0 else len(self.text)
        end = self.next_end + len(_CDATA_END)
        if self.next_end == len(self.text) or end in self.dead:
            raise _FailedError
        self.seen.append(end)
        return end

    def escaped(self, spelled: str) -> str:
        """Text as XML has it."""
        if not self.is_lenient:
            return spelled
        amends = amended(spelled)
        if amends is None:
            raise _FailedError
        if amends != spelled:
            self.repairs.append("`&` and `<` that are not escaped are read as they are")
        return amends

    def space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def matched(self, pattern: re.Pattern[str], at: int) -> str:
        found = pattern.match(self.text, at)
        return found[0] if found else ""
