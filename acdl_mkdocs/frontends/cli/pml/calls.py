"""acdl pml calls: read the calls at the end of a model's output, and report invalid ones."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_lenient, print_json, print_problems, text_at
from acdl_mkdocs.frontends.cli.pml.tools import TOOLS_HELP, tools_at
from acdl_mkdocs.prompts.pml.calls import write_call
from acdl_mkdocs.prompts.pml.check_calls import CallChecker, fault_json
from acdl_mkdocs.prompts.pml.document_problems import list_fault_problems
from acdl_mkdocs.prompts.pml.faults import Fault
from acdl_mkdocs.prompts.pml.problems import CURE_OF_WHITE, repair_note
from acdl_mkdocs.prompts.pml.tail import Tail, tail
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS
from acdl_mkdocs.prompts.prompt import Json, Tool


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer of a model, with its valid calls."""

    tail: Tail
    tools: Sequence[Tool]
    faults: tuple[tuple[Fault, ...], ...]
    """The faults that keep each call from being made."""

    @property
    def has_faults(self) -> bool:
        """Whether a program has to answer the model instead of making all calls."""
        return any(self.faults) or bool(self.tail.problems)


def check_answer(text: str, tools: Sequence[Tool], *, is_repaired: bool) -> CheckedAnswer:
    """Return the calls at the end of an answer, each checked against the tools."""
    answer_tail = tail(text, tools, is_repaired=is_repaired)
    checker = CallChecker(tools)
    return CheckedAnswer(answer_tail, tools, tuple(map(checker.check_call, answer_tail.calls)))


def answer_problems(answer: CheckedAnswer) -> tuple[Diagnostic, ...]:
    """Return the problems and repairs, at their place in the text; at most a hundred."""
    problems = [*answer.tail.problems, *(replace(repair_note(each), help=()) for each in answer.tail.repairs)]
    problems += [replace(repair_note(each), severity="note", help=(CURE_OF_WHITE,)) for each in answer.tail.kept]
    for call, faults, span in zip(answer.tail.calls, answer.faults, answer.tail.spans, strict=True):
        problems += list_fault_problems(call, faults, span)
    return tuple(sorted(problems, key=lambda each: each.label.span.start)[:MOST_PROBLEMS])


def answer_json(answer: CheckedAnswer) -> dict[str, Json]:
    """Return JSON for programs: `calls` has the valid ones, `errors` what to return to the model for the others.

    `number` is the position of a call among all calls of the answer.
    """
    calls: list[Json] = []
    errors: list[Json] = []
    for number, (call, faults) in enumerate(zip(answer.tail.calls, answer.faults, strict=True)):
        call_data: dict[str, Json] = {"number": number, "id": call.id}
        if faults:
            errors.append({**call_data, "result": fault_json(call, faults)})
        else:
            calls.append({**call_data, "name": call.tool, "arguments": dict(call.args)})
    errors += [{"number": None, "id": None, "result": _unread_call_data(problem)} for problem in answer.tail.problems]
    repairs: list[Json] = [each.message for each in (*answer.tail.repairs, *answer.tail.kept)]
    thinking: list[Json] = list(answer.tail.thinking)
    return {"text": answer.tail.text, "thinking": thinking, "calls": calls, "errors": errors, "repairs": repairs}


def answer_lines(answer: CheckedAnswer) -> Iterator[str]:
    """Yield a line for each call as a model writes it, marked if it cannot be made."""
    tools_by_name = index_by_name(answer.tools)
    for call, faults in zip(answer.tail.calls, answer.faults, strict=True):
        line = mask_controls(write_call(call, tools_by_name.get(call.tool)).replace("\n", "&#10;"))
        yield f"{line}  # cannot be made" if faults else line
    if not answer.tail.calls:
        yield "no calls"


def _unread_call_data(problem: Diagnostic) -> dict[str, Json]:
    """Return the error for the model about text that looks like a call but is not one."""
    faults: list[Json] = [{"kind": problem.rule, "message": "; ".join((problem.message, *problem.help))}]
    return {"error": "the call was not made", "faults": faults}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument(
        "file", metavar="FILE", help="what a model has just written, and nothing else; `-` is standard input"
    )
    parser.add_argument("--tools", required=True, metavar="TOOLS", help=TOOLS_HELP)
    add_lenient(parser, "TOOLS")
    parser.add_argument("--repair", action="store_true", help="repair calls that can be read in only one way")
    parser.add_argument("--format", choices=("json", "terminal"), default="json", help="output format")


def run(args: argparse.Namespace) -> int:
    """Print the calls; return 1 if one cannot be read or made, 2 if a file cannot be read."""
    if args.file == args.tools == "-":
        raise StoppedError("standard input cannot be both the answer and the tools")
    tools = tools_at(args.tools, args)
    text = text_at(args.file)
    answer = check_answer(text, tools, is_repaired=args.repair)
    source = Source(text, "<stdin>" if args.file == "-" else args.file)
    print_problems(answer_problems(answer), source, args)
    if args.format == "json":
        print_json(answer_json(answer))
    else:
        for line in answer_lines(answer):
            print(line)
    return int(answer.has_faults)
