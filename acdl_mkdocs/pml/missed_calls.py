"""`missed_call()`: what a model probably meant as a call in an answer without any, so that it does not vanish silently.

Only says so: nothing that it finds is ever a call. A call that a sentence quotes is none, and not told.
"""

import re

from acdl_mkdocs.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.pml.scan_calls import scan_call
from acdl_mkdocs.source import Span

CURE_OF_MARKUP = (
    'write `&amp;` for `&`, `&lt;` for `<` and `&quot;` for `"` in values, quotes around every value, and end every tag'
)
_MOST_TRIED = 50
"""`<call`, counted from the end of the answer."""
_HEAD = re.compile(r"<call\s[^<>]{0,300}?\bname\s*+=")
_END = re.compile(r"/>|</call\s*+>")
_AROUND = "assistant|turn|conversation|prompt|message|answer|response|calls|tool_calls?|function_calls?"
_CLOSERS = re.compile(rf"(?:\s|</(?:{_AROUND})\s*+>|[`~.,;:!*_)\]])*+")
"""What nobody means by itself: ends of tags around calls, of a fence, of a sentence."""
_QUOTES = "`\"'\u2018\u201c\u00ab("


def missed_call(text: str) -> Diagnostic | None:
    """A warning about the last part of an answer that has no calls, or `None` where nothing looks like one.

    Parameters:
        text: What the model has written.
    """
    at = _last(text)
    if at is None:
        return None
    found = scan_call(text, at)
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
        return _missed(span, "what looks like a call cannot be read", CURE_OF_MARKUP)
    label = Label(span, "this is text too")
    cure = "end the answer with the calls: no words, no full stop, no fence and no tag behind them"
    return warning("misplaced-text", "something follows the call, so it is not made", label, help=cure)


def missed_before(text: str) -> Diagnostic | None:
    """A warning about what stands before the calls of an answer, or `None` where no line of it begins with a call.

    Parameters:
        text: What the model has written before the first call that is made.
    """
    at = _last(text)
    if at is None or text.rfind("<thinking>", 0, at) > text.rfind("</thinking>", 0, at):
        return None
    found = scan_call(text, at)
    end = _END.search(text, at)
    span = found.span if found is not None else Span(at, end.end() if end is not None else len(text.rstrip()))
    if not _begins_line(text, span):
        return None
    if found is None:
        return _missed(span, "what looks like a call cannot be read", CURE_OF_MARKUP)
    label = Label(span, "this is text too")
    cure = "end the answer with the calls: write no words and no full stop between them"
    return warning("misplaced-text", "something follows the call, so it is not made", label, help=cure)


def _missed(span: Span, message: str, cure: str) -> Diagnostic:
    return warning("not-xml", message, Label(span, "this is text"), help=cure)


def _last(text: str) -> int | None:
    """Where the last `<call` that names a tool begins."""
    at = len(text)
    for _ in range(_MOST_TRIED):
        at = text.rfind("<call", 0, at)
        if at < 0:
            return None
        if _HEAD.match(text, at):
            return at
    return None


def _is_meant(text: str, span: Span) -> bool:
    """Whether a call stands where calls do: at the end but for closing signs, or at the beginning of a line."""
    behind = _CLOSERS.match(text, span.end)
    if behind is not None and behind.end() == len(text):
        return not _is_quoted(text, span.start)
    return _begins_line(text, span)


def _begins_line(text: str, span: Span) -> bool:
    """Whether nothing stands before it in its line, and it is not the end of a fence's content."""
    line = text.rfind("\n", 0, span.start) + 1
    is_fenced = text[span.end :].lstrip().startswith(("```", "~~~"))
    return not text[line : span.start].strip() and not is_fenced


def _is_quoted(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in _QUOTES
