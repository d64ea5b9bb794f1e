"""`missed_call()`: what a model probably meant as a call in an answer without any, so that it does not vanish silently.

Only says so: nothing that it finds is ever a call. A call that a sentence quotes is none, and not told.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.scan_calls import Scanned, scan_call

CURE_OF_MARKUP = (
    'write `&amp;` for `&`, `&lt;` for `<` and `&quot;` for `"` in values, quotes around every value, and end every tag'
)
_CURE_OF_SPELLING = 'write `<call name="tool" key="value"/>`, at the end of the answer'
_MOST_TRIED = 50
"""Places that begin like calls."""
_CALL = re.compile("<call", re.IGNORECASE)
_HEAD = re.compile(r"<call\s[^<>]{0,300}?\bname\s*+=", re.IGNORECASE)
_END = re.compile(r"/>|</call\s*+>", re.IGNORECASE)
_AROUND = "assistant|turn|conversation|prompt|message|answer|response|calls|tool_calls?|function_calls?"
_CLOSERS = re.compile(possessive(rf"\s++|</(?:{_AROUND})\s*+>|[`~.,;:!*_)\]]++"))
"""What nobody means by itself: ends of tags around calls, of a fence, of a sentence."""
_QUOTES = "`\"'\u2018\u201c\u00ab("
_LISTED = re.compile(
    r"(?>(?:[ \t]*(?:[-*+\u2022>]|[0-9]{1,3}[.)])(?=[ \t>])[ \t]*)+)(?:\[[ xX]\][ \t]+)?(?:[^\n]{0,200}:)?[\s*_`]*"
)
"""Before a call in its line: that it is in a list or a quotation, maybe behind words that end in a colon."""
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
"""How calls begin in the formats of providers and of models, and what was meant as `<call`."""


def missed_call(text: str) -> Diagnostic | None:
    """A warning about the last part of an answer that has no calls, or `None` where nothing looks like one.

    Parameters:
        text: What the model has written.
    """
    at = _last(text)
    found = None if at is None else _missed_end(text, at)
    return found or next(_others(text), None)


def missed_before(text: str) -> Diagnostic | None:
    """A warning about what stands before the calls of an answer, or `None` where no line of it begins with a call.

    Parameters:
        text: What the model has written before the first call that is made.
    """
    at = _last(text)
    found = None if at is None or _is_thought(text, at) else _missed_line(text, at)
    return found or next((each for each in _others(text) if not _is_thought(text, each.label.span.start)), None)


def listed_call(text: str, span: Span) -> Diagnostic | None:
    """A warning about a call that ends an answer but stands in a list or a quotation; `None` where it does not.

    Such calls are choices or examples as often as they are meant, and only the last of a list would be made.

    Parameters:
        text: What the model has written.
        span: Where the first of the calls at its end stands.
    """
    return _misplaced(text, span, "") if _is_listed(text, span) else None


def _missed_end(text: str, at: int) -> Diagnostic | None:
    """A warning about what begins like a call at a place, if it was probably meant."""
    found = _scanned(text, at)
    end = _END.search(text, at) if found is None else None
    if found is None and end is None:
        if _is_quoted(text, at):
            return None
        cure = "write the whole call again, and less before it"
        return _missed(Span(at, len(text)), "the answer ends inside a call", cure)
    span = Span(at, end.end()) if end is not None else Span(at, found.span.end if found else len(text))
    if not _is_meant(text, span):
        return None
    if found is None:
        return _unread(text, span)
    cure = "end the answer with the calls: no words, no full stop, no fence and no tag behind them"
    return _misplaced(text, span, cure)


def _missed_line(text: str, at: int) -> Diagnostic | None:
    """A warning about what begins like a call at a place, if that is the beginning of a line or in a list."""
    found = _scanned(text, at)
    end = _END.search(text, at)
    span = found.span if found is not None else Span(at, end.end() if end is not None else len(text.rstrip()))
    if not _begins_line(text, span) and not _is_listed(text, span):
        return None
    if found is None:
        return _unread(text, span)
    return _misplaced(text, span, "end the answer with the calls: write no words and no full stop between them")


def _others(text: str) -> Iterator[Diagnostic]:
    """Warnings about calls in other formats."""
    unclosed: set[str] = set()
    for found in islice(_OTHERS.finditer(text), _MOST_TRIED):
        closing = _closing(found)
        end = None if closing in unclosed else re.compile(closing, re.IGNORECASE).search(text, found.end())
        if end is None:
            unclosed.add(closing)
        span = Span(found.start(), len(text) if end is None else end.end())
        if _begins_line(text, span) or _is_listed(text, span) or (end is not None and _is_meant(text, span)):
            yield _missed(span, _of_other(found), _CURE_OF_SPELLING)


def _closing(found: re.Match[str]) -> str:
    """A pattern of what ends a call of another format; one that nothing matches where only the text ends it."""
    if found["escaped"]:
        return "/&gt;|&lt;/call&gt;|/>"
    if found["named"] or found["spaced"]:
        return f"/>|</{re.escape(found['named'] or found['spaced'])}>"
    return f"</{re.escape(found['around'])}>" if found["around"] else "(?!)"


def _of_other(found: re.Match[str]) -> str:
    """What is wrong with a call of another format."""
    if found["escaped"]:
        return "`&lt;call` is text, so the call is not made"
    if found["spaced"]:
        return "what looks like a call has white space before `call`, so it is text"
    shown = " ".join(found[0].rstrip("{[<\"' \n").split())[:40]
    return f"`{shown}` begins a call of another format, which is text here"


def _misplaced(text: str, span: Span, cure: str) -> Diagnostic:
    """A warning about a call that can be read, and is not where calls are made."""
    message = "something follows the call, so it is not made"
    if _is_listed(text, span):
        message = "the call is in a list or a quotation, so it is not made"
        cure = "end the answer with the calls that are meant, each at the beginning of a line"
    return warning("misplaced-text", message, Label(span, "this is text too"), help=cure)


def _unread(text: str, span: Span) -> Diagnostic:
    """A warning about what looks like a call and cannot be read."""
    if not text.startswith("<call", span.start):
        name = text[span.start + 1 : span.start + 5]
        return _missed(span, f"`<{name}` is not `<call`, so the call is not made", _CURE_OF_SPELLING)
    return _missed(span, "what looks like a call cannot be read", CURE_OF_MARKUP)


def _missed(span: Span, message: str, cure: str) -> Diagnostic:
    return warning("not-xml", message, Label(span, "this is text"), help=cure)


def _last(text: str) -> int | None:
    """Where the last `<call` that names a tool begins, in capitals or not."""
    begun = deque(_CALL.finditer(text), maxlen=_MOST_TRIED)
    return next((each.start() for each in reversed(begun) if _HEAD.match(text, each.start())), None)


def _scanned(text: str, at: int) -> Scanned | None:
    """The call that begins at a place; none in capitals."""
    return scan_call(text, at) if text.startswith("<call", at) else None


def _is_meant(text: str, span: Span) -> bool:
    """Whether a call stands where calls do: at the end but for closing signs, or at the beginning of a line."""
    behind = _CLOSERS.match(text, span.end)
    if behind is not None and behind.end() == len(text):
        return not _is_quoted(text, span.start) or _is_listed(text, span)
    return _begins_line(text, span) or _is_listed(text, span)


def _begins_line(text: str, span: Span) -> bool:
    """Whether nothing stands before it in its line but what opens a fence."""
    line = text.rfind("\n", 0, span.start) + 1
    before = text[line : span.start]
    return not before.strip() or _FENCE.fullmatch(before) is not None


def _is_listed(text: str, span: Span) -> bool:
    """Whether it is the end of an item of a list, or of a line of a quotation."""
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
