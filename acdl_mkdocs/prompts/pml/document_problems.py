"""`list_document_problems()`: all problems of a document, including calls that do not match its tools."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, Severity, diagnostic
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.pml.check_calls import CallChecker
from acdl_mkdocs.prompts.pml.faults import Fault
from acdl_mkdocs.prompts.pml.problems import repair_note
from acdl_mkdocs.prompts.pml.raw_arguments import list_spelling_problems
from acdl_mkdocs.prompts.pml.read import ReadPml
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS
from acdl_mkdocs.prompts.prompt import Call, Output, Prompt

_CURES = {
    "unknown-tool": "call a tool that is listed",
    "missing-argument": "give the call that argument",
    "unknown-argument": "remove the argument, or declare it in the tool",
    "wrong-type": "give a value of the type that the tool declares",
    "wrong-value": "give one of the values that the tool allows",
    "wrong-size": "give a value within the limits of the tool",
    "over-limit": "give fewer arguments, or reduce their nesting",
}
_OF_VALUES = ("wrong-type", "wrong-value", "wrong-size")
"""Faults whose messages do not name the argument."""


_UNREAD = ("unreadable-argument", "bad-json")
"""Problems of the reader about arguments, which need no second report."""


def list_fault_problems(
    call: Call, faults: Sequence[Fault], span: Span, severity: Severity = "error"
) -> tuple[Diagnostic, ...]:
    """Return what prevents a call from being made, at its position.

    Parameters:
        call: The call.
        faults: Its faults.
        span: Its position.
        severity: Severity of the problems.
    """
    return tuple(_make_problem(call, fault, span, severity) for fault in faults)


def list_call_problems(read: ReadPml) -> Iterator[Diagnostic]:
    """Find the calls that do not match the tools of a document: at most a hundred warnings, and none without tools.

    A call whose result is an error is part of a history, and correct there. A tool that is not listed, and an argument
        that cannot be read, are reported by the reader; if it has stopped at its limit, nothing after its last problem
        is reported.
    """
    if read.prompt is not None and read.prompt.tools:
        yield from islice(_list_problems(read, read.prompt), MOST_PROBLEMS)


def _list_problems(read: ReadPml, prompt: Prompt) -> Iterator[Diagnostic]:
    unread = sorted(each.label.span.start for each in read.problems if each.rule in _UNREAD)
    last = read.problems[-1].label.span.start if len(read.problems) >= MOST_PROBLEMS else None
    checker = CallChecker(prompt.tools)
    for path, call in _find_successful_calls(prompt).items():
        if last is not None and read.places[path].start > last:
            return
        if call.tool not in checker.known:
            continue
        faults = checker.check_call(call)
        if faults and not _has_start(unread, read.places[path]):
            yield from list_fault_problems(call, faults, read.places[path], "warning")
        if checker.is_spent:
            return


def _has_start(starts: Sequence[int], span: Span) -> bool:
    """Return whether one of the offsets is in a span."""
    first = bisect_left(starts, span.start)
    return first < len(starts) and starts[first] < span.end


def _find_successful_calls(prompt: Prompt) -> dict[str, Call]:
    """Return the calls without an error as their result, by their paths."""
    calls: dict[str, Call] = {}
    pending_calls: PendingCalls[str] = PendingCalls()
    for number, message in enumerate(prompt.messages):
        pending_calls.begin_message(message.role)
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                path = f"messages[{number}].parts[{at}]"
                calls[path] = part
                pending_calls.add_call(path, part.id, part.tool)
            elif isinstance(part, Output):
                answered = pending_calls.answer_call(part.call_id, part.tool)
                if part.is_error and answered is not None:
                    calls.pop(answered, None)
    return calls


def _make_problem(call: Call, fault: Fault, span: Span, severity: Severity) -> Diagnostic:
    place = f"`{fault.path}` in the call of `{call.tool}`" if fault.kind in _OF_VALUES else f"the call of `{call.tool}`"
    message = fault.message if fault.kind == "unknown-tool" else f"{place}: {fault.message}"
    return diagnostic(severity, fault.kind, message, Label(span, "this call"), help=_CURES[fault.kind])


def list_document_problems(document: ReadPml) -> tuple[Diagnostic, ...]:
    """Return the problems of a document, its repairs, and calls that do not match its tools, in order of position."""
    return _sort_problems(
        *list_read_problems(document), *list_call_problems(document), *list_spelling_problems(document)
    )


def list_read_problems(document: ReadPml) -> tuple[Diagnostic, ...]:
    """Return the problems and repairs of a document without checking its calls, in order of position."""
    return _sort_problems(*document.problems, *map(repair_note, document.repairs))


def _sort_problems(*problems: Diagnostic) -> tuple[Diagnostic, ...]:
    return tuple(sorted(problems, key=lambda each: each.label.span.start))
