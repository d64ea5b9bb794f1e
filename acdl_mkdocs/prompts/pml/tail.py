"""`tail()`: the calls at the end of the fresh output of a model; no other text is ever a call.

Give it only fresh output of the model. What looks like a call in the words of a user, in a file, in a result or in
an earlier message is text, and so is a call followed by anything but white space and other calls; if that was
probably a mistake, it is reported.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml.calls import read_call
from acdl_mkdocs.prompts.pml.faults import list_names
from acdl_mkdocs.prompts.pml.problems import CURE_OF_CHARACTERS, Repair, repeated_id, too_large
from acdl_mkdocs.prompts.pml.scan_calls import (
    CURE_OF_MARKUP,
    ScannedCall,
    scan_calls,
    warn_listed_call,
    warn_missed_before,
    warn_missed_call,
)
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.pml.tree import read_tree
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS, validate_tree
from acdl_mkdocs.prompts.pml.xml_text import write_json
from acdl_mkdocs.prompts.prompt import Call, Tool

MOST_CALLS = 256
"""Calls of one answer."""
MOST_CHARACTERS = 1_000_000
"""Of one answer; more is refused."""
_KEPT = "the line ends and tabs in {} are kept; XML would read spaces"
_NAME = "<answer>"
_THINKING, _END_THINKING = "<thinking>", "</thinking>"
_REFERENCE = re.compile(r"&#(x?)([0-9A-Fa-f]{1,12});")


@dataclass(frozen=True, slots=True)
class Tail:
    """The output of a model, with its calls split off."""

    text: str
    """The text before the calls, without the thinking of the model; all of it if no call can be read."""
    calls: tuple[Call, ...] = ()
    """The calls, in order."""
    spans: tuple[Span, ...] = ()
    """Positions of the calls in the output of the model."""
    repairs: tuple[Repair, ...] = ()
    """Repairs of calls, so that a program can refuse them."""
    problems: tuple[Diagnostic, ...] = ()
    """Text that looks like a call and is not one, or cannot be read; at most a hundred."""
    kept: tuple[Repair, ...] = ()
    """Line ends and tabs in attributes, which XML reads as spaces: they are kept, since they may be code."""
    thinking: tuple[str, ...] = ()
    """The content of `<thinking>` at the very beginning and right before the calls, unchanged."""


def tail(text: str, tools: Sequence[Tool] = (), *, is_repaired: bool = False) -> Tail:
    """Return the calls at the end of the fresh output of a model.

    Adjacent calls are read together: if one of them cannot be read, none is returned.

    Parameters:
        text: The output of the model, and nothing else.
        tools: The tools that it was given; they define the types of attributes.
        is_repaired: Whether to repair calls that are not XML, if they can be read in only one way.
    """
    if len(text) > MOST_CHARACTERS:
        return Tail(text, problems=(too_large(Span(0, 0), f"{MOST_CHARACTERS:,} characters of an answer"),))
    result = _find_tail(text, tools, is_repaired=is_repaired)
    if not result.calls and not result.problems:
        missed = warn_missed_call(text)
        return result if missed is None else replace(result, problems=(missed,))
    if result.calls and (listed := warn_listed_call(text, result.spans[0])) is not None:
        return Tail(text, problems=(listed,))
    if result.calls and not result.problems:
        earlier = warn_missed_before(text[: result.spans[0].start])
        return result if earlier is None else replace(result, problems=(earlier,))
    return result


def _find_tail(text: str, tools: Sequence[Tool], *, is_repaired: bool) -> Tail:
    scanned = scan_calls(text)
    result = _read_calls(text, scanned, tools)
    if result.calls and not result.problems:
        return replace(result, problems=_warn_broken_before(text, scanned[0].span.start))
    mended = scan_calls(text, is_lenient=True)
    if not mended or mended == scanned:
        return result
    if not is_repaired:
        return result if result.problems else replace(result, problems=_warn_broken(mended[0].span))
    return _read_calls(text, mended, tools)


def _read_calls(text: str, scanned: Sequence[ScannedCall], tools: Sequence[Tool]) -> Tail:
    """Return the calls, or their problems."""
    if len(scanned) > MOST_CALLS:
        return Tail(text, problems=(too_large(scanned[0].span, f"{MOST_CALLS} calls in one answer"),))
    tools_by_name = index_by_name(tools)
    calls: list[Call] = []
    problems: list[Diagnostic] = []
    for each in scanned:
        call, call_problems = _read_call(each, tools_by_name)
        problems += [_move_problem(problem, each) for problem in call_problems]
        if call is not None:
            calls.append(call)
        if len(problems) >= MOST_PROBLEMS:
            break
    problems += _report_repeated_ids(calls, scanned) if len(calls) == len(scanned) else ()
    if problems or not calls:
        return Tail(text, problems=tuple(problems[:MOST_PROBLEMS]))
    repairs = tuple(Repair(each.span, message) for each in scanned for message in each.repairs)
    spans = tuple(each.span for each in scanned)
    words, thinking = _split_thinking(text[: spans[0].start])
    kept_repairs = tuple(Repair(each.span, _KEPT.format(list_names(each.kept))) for each in scanned if each.kept)
    return Tail(words, tuple(calls), spans, repairs, kept=kept_repairs, thinking=thinking)


def _read_call(scanned: ScannedCall, tools_by_name: Mapping[str, Tool]) -> tuple[Call | None, list[Diagnostic]]:
    """Return a call and its problems as XML."""
    tree = read_tree(scanned.text, _NAME)
    diagnostics = list(tree.problems) if tree.root is None else validate_tree(tree.root, scanned.text, ("call",))
    if tree.root is None or diagnostics:
        return None, diagnostics
    call = read_call(tree.root, tools_by_name.get(tree.root.attributes["name"]), diagnostics)
    problems = [problem for problem in diagnostics if problem.rule != "unreadable-argument"]  # `call_faults` reports it
    return replace(call, args_raw=None, signature=None), problems


def _report_repeated_ids(calls: Sequence[Call], scanned: Sequence[ScannedCall]) -> Iterator[Diagnostic]:
    """Find ids that two calls share: their results would be ambiguous."""
    first: dict[str, Span] = {}
    for call, each in zip(calls, scanned, strict=True):
        if call.id is not None and first.setdefault(call.id, each.span) != each.span:
            yield repeated_id(each.span, first[call.id], call.id)


def _split_thinking(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a text into words, and the thinking at their very beginning and end."""
    thinking: list[str] = []
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if text.startswith(_THINKING, start) and (closed := text.find(_END_THINKING, start)) >= 0:
        thinking.append(text[start + len(_THINKING) : closed])
        text = text[closed + len(_END_THINKING) :]
        end = len(text.rstrip())
    if text.endswith(_END_THINKING, 0, end) and (opened := text.rfind(_THINKING, 0, end)) >= 0:
        thinking.append(text[opened + len(_THINKING) : end - len(_END_THINKING)])
        text = text[:opened]
    return text, tuple(thinking)


def _move_problem(problem: Diagnostic, scanned: ScannedCall) -> Diagnostic:
    """Return a problem of a call with its position in the whole text; for a repaired call, the position of the call."""
    start, end = scanned.span.start, scanned.span.end
    at = problem.label.span
    span = (
        scanned.span if scanned.repairs or scanned.kept else Span(min(start + at.start, end), min(start + at.end, end))
    )
    cures = problem.help
    if CURE_OF_CHARACTERS in cures:
        spelled = write_json(_decode_character(scanned.text[at.start : at.end]))
        cures = (f'write the value as JSON: `<arg key="..." type="json">"{spelled[1:-1]}"</arg>`',)
    return replace(problem, label=Label(span, problem.label.text), related=(), help=cures, fix=None)


def _decode_character(spelled: str) -> str:
    """Return a character, or the one that a reference represents; a space if it represents none."""
    match = _REFERENCE.fullmatch(spelled)
    if match is None:
        return spelled
    code = int(match[2], 16 if match[1] else 10)
    return chr(code) if code <= sys.maxunicode else " "


def _warn_broken_before(text: str, start: int) -> tuple[Diagnostic, ...]:
    """Warn about an unreadable call right before the readable ones."""
    before = scan_calls(text[:start], is_lenient=True)
    return _warn_broken(before[-1].span) if before else ()


def _warn_broken(span: Span) -> tuple[Diagnostic, ...]:
    message = "this looks like a call, but cannot be read"
    return (warning("not-xml", message, Label(span, "this is text"), help=CURE_OF_MARKUP),)
