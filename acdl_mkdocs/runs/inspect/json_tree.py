"""An inspection for programs: one JSON object, described by `assets/inspect.schema.json`."""

from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Opaque, Output, Part, Text, Thinking
from acdl_mkdocs.runs.inspect.inspection import Inspection, PrefixEnd, Repeat, Run, Step, ToolUse, Usage, WeighedMessage
from acdl_mkdocs.runs.inspect.options import InspectionOptions
from acdl_mkdocs.runs.inspect.summary import compute_costs, describe_inspection, describe_point, sum_runs
from acdl_mkdocs.runs.report.recording import describe_part, shorten_line

VERSION = 1
"""Incremented when a key changes its meaning or is removed."""
_MOST = 240
"""Characters of an excerpt."""


def write(inspection: Inspection, options: InspectionOptions | None = None) -> str:
    """Return the whole inspection as JSON."""
    return json_text(build_tree(inspection, options)) + "\n"


def build_tree(inspection: Inspection, options: InspectionOptions | None = None) -> dict[str, Json]:
    """Return the inspection as data."""
    options = options or InspectionOptions()
    totals = sum_runs(inspection.runs)
    costs: dict[str, Json] = {} if options.price is None else {**compute_costs(totals, options.price)}
    return {
        "acdl_inspect": VERSION,
        "sentence": describe_inspection(inspection),
        "files": list(inspection.files),
        "encoding": inspection.encoding,
        "is_estimate": inspection.is_estimate,
        "is_cut": inspection.is_cut,
        "summary": {
            "runs": totals.n_runs,
            "steps": totals.n_steps,
            "following": totals.n_followers,
            "losing": totals.n_losing,
            "tokens": totals.n_tokens,
            "prefix": totals.n_prefix,
            "again": totals.n_again,
            "new": totals.n_new,
            "tools": totals.n_tools,
            "largest": totals.n_largest,
            "usage_input": totals.n_input,
            "usage_cached": totals.n_cached,
        },
        "costs": costs or None,
        "runs": [_build_run(each, options) for each in inspection.runs],
        "skipped": list(inspection.skipped),
    }


def _build_run(run: Run, options: InspectionOptions) -> dict[str, Json]:
    return {
        "name": run.name,
        "tokens": run.n_tokens,
        "tools": [_build_tool(each) for each in run.tools],
        "steps": [_build_step(each, options) for each in run.steps],
    }


def _build_tool(use: ToolUse) -> dict[str, Json]:
    return {"name": use.name, "tokens": use.n_tokens, "steps": use.n_steps, "calls": use.n_calls}


def _build_step(step: Step, options: InspectionOptions) -> dict[str, Json]:
    numbers = [at for at, change in enumerate(step.changes) if change != "kept"]
    return {
        "file": step.origin.file,
        "line": step.origin.line,
        "inside": step.origin.inside,
        "at": None if step.at is None else describe_point(step),
        "format": step.format,
        "model": step.model,
        "tokens": {
            "all": step.n_tokens,
            "prefix": step.n_prefix,
            "again": step.n_again,
            "new": step.n_new,
            "tools": step.n_tools,
            "gone": step.n_gone,
        },
        "tools": [each.tool.name for each in step.tools],
        "n_messages": len(step.messages),
        "n_kept": len(step.messages) - len(numbers),
        "messages": [
            {"number": at, "change": step.changes[at], **_build_message(step.messages[at], options)} for at in numbers
        ],
        "dropped": [_build_message(each, options) for each in step.dropped],
        "prefix_end": None if step.end is None else _build_prefix_end(step.end, options),
        "others": [_build_prefix_end(each, options) for each in step.others],
        "repeats": [_build_repeat(each, options) for each in step.repeats],
        "settings_changed": list(step.settings_changed),
        "usage": None if step.usage is None else _build_usage(step.usage),
    }


def _build_message(message: WeighedMessage, options: InspectionOptions) -> dict[str, Json]:
    return {
        "role": message.role,
        "name": message.name,
        "tokens": message.n_tokens,
        "parts": [
            {
                "kind": find_part_kind(each.part),
                "tokens": each.n_tokens,
                "text": shorten_line(describe_part(each.part), _MOST) if options.has_excerpts else "",
            }
            for each in message.parts
        ],
    }


def find_part_kind(part: Part) -> str:
    """Return the kind of a part."""
    match part:
        case Text():
            return "text"
        case Thinking():
            return "thinking"
        case Call():
            return "call"
        case Output():
            return "result"
        case Attachment():
            return "attachment"
        case Opaque():
            return "opaque"


def _build_prefix_end(end: PrefixEnd, options: InspectionOptions) -> dict[str, Json]:
    before, after = (shorten_line(each, _MOST) if options.has_excerpts else "" for each in (end.before, end.after))
    return {
        "reason": end.reason,
        "words": end.words,
        "path": end.path,
        "character": end.character,
        "before": before,
        "after": after,
    }


def _build_repeat(repeat: Repeat, options: InspectionOptions) -> dict[str, Json]:
    text = shorten_line(repeat.text, _MOST) if options.has_excerpts else ""
    return {"messages": list(repeat.messages), "tokens": repeat.n_tokens, "wasted": repeat.n_wasted, "text": text}


def _build_usage(usage: Usage) -> dict[str, Json]:
    return {"input": usage.n_input, "cached": usage.n_cached, "output": usage.n_output}
