"""Report the proof of an inferred spec: in sentences, and as data described by `assets/infer.schema.json`."""

from collections.abc import Iterator
from typing import cast

from acdl_mkdocs.app.infer import Choice, Inferred, ProvenPrompt, Refinement
from acdl_mkdocs.compare.formats.json_tree import to_object
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.report.summary import summarize_check

VERSION = 1
"""Raised when a key changes its meaning or disappears."""
_LISTED = "no loop, window or condition explains all of its requests, so it lists the recorded messages by position"


def describe_inferred(inferred: Inferred, file: str) -> Iterator[str]:
    """Describe each prompt, each choice that the recordings do not decide, and what was not read, in sentences.

    Parameters:
        inferred: The spec.
        file: Name of its file in messages.
    """
    for prompt in inferred.prompts:
        yield f"{prompt.name}: {_describe_prompt(prompt)}"
        if not prompt.inferred.is_general:
            yield f"{prompt.name}: is not general: {_LISTED}"
        yield from (f"{file}:{each.line}: {_describe_choice(each)}" for each in prompt.choices)
    if inferred.refinement is not None:
        yield from _describe_refinement(inferred.refinement, file)
    if inferred.confusion:
        yield f"the prompts cannot be distinguished: {inferred.confusion}"
    yield from inferred.runs.tally.describe_skipped()
    yield from inferred.runs.tally.describe_incomplete()


def _describe_refinement(refinement: Refinement, file: str) -> Iterator[str]:
    """Describe what was not a small change of a prompt."""
    for name in refinement.added:
        yield f"{name}: is new: no prompt in {file} described these requests"
    for name in refinement.rewritten:
        yield f"{name}: was rewritten: no smaller change agrees with all requests"
    for name in refinement.forgotten:
        yield f"{name}: no longer sends the messages of its states: no general spec describes both"
    for name in refinement.kept:
        yield f"{name}: was not changed, although requests refute it: no general spec describes them"
    if not refinement.is_changed and not refinement.kept:
        yield f"{file}: agrees with all requests and is unchanged"


def _describe_prompt(prompt: ProvenPrompt) -> str:
    sent = prompt.inferred
    requests = format_count(sent.n_requests, "request")
    runs = format_count(len(sent.kind.runs), "run")
    which = f"{requests} of {runs}" if sent.n_sent == sent.n_requests else f"{sent.n_sent} of {requests} of {runs}"
    summary = summarize_check(prompt.found)
    rest = summary.sentence if summary.is_refuted else summary.coverage_description
    return f"sends {which} exactly; {rest}"


def _describe_choice(choice: Choice) -> str:
    return f"`{choice.chosen}` is one choice, {choice.others_in_words} another; {choice.deciding} would decide"


def build_report(inferred: Inferred, file: str) -> dict[str, Json]:
    """Return the report as data.

    Parameters:
        inferred: The spec.
        file: Name of its file.
    """
    return {
        "acdl_infer": VERSION,
        "file": file,
        "is_proven": inferred.is_proven,
        "confusion": inferred.confusion,
        "requests": len(inferred.runs.requests),
        "sent": inferred.n_sent,
        "recordings": list(inferred.runs.files),
        "prompts": [_build_prompt(each) for each in inferred.prompts],
        "refinement": None if inferred.refinement is None else _build_refinement(inferred.refinement),
        "notes": [*inferred.runs.tally.describe_skipped(), *inferred.runs.tally.describe_incomplete()],
    }


def _build_refinement(refinement: Refinement) -> dict[str, Json]:
    return {
        "is_changed": refinement.is_changed,
        "added": list(refinement.added),
        "rewritten": list(refinement.rewritten),
        "forgotten": list(refinement.forgotten),
        "kept": list(refinement.kept),
        "states": list(refinement.states),
        "difference": cast(dict[str, Json], to_object(refinement.difference)),
    }


def _build_prompt(prompt: ProvenPrompt) -> dict[str, Json]:
    summary, sent = summarize_check(prompt.found), prompt.inferred
    return {
        "name": prompt.name,
        "line": prompt.line,
        "sentence": _describe_prompt(prompt),
        "is_proven": prompt.is_proven,
        "is_general": sent.is_general,
        "reason": "" if sent.is_general else _LISTED,
        "runs": list(sent.kind.runs),
        "requests": sent.n_requests,
        "sent": sent.n_sent,
        "lines": summary.n_lines,
        "confirmed": summary.n_confirmed,
        "refuted": summary.n_refuted,
        "mutants": summary.n_mutants,
        "killed": summary.n_killed,
        "survivors": [
            {"line": each.origin.line, "change": each.change, "description": each.description}
            for each in (prompt.found.score.survivors if prompt.found.score is not None else ())
        ],
        "choices": [
            {"line": each.line, "chosen": each.chosen, "others": list(each.others), "deciding": each.deciding}
            for each in prompt.choices
        ],
    }
