"""Report the changes of a conversion: a line each for a person, and JSON for programs."""

import json
import re
import sys
from collections import Counter
from dataclasses import asdict

from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.pml.files import JSON_VERSION, write_text
from acdl_mkdocs.prompts.changes import Change
from acdl_mkdocs.prompts.convert import Converted

_STEP = re.compile(r"(message|part|tool|setting)s\[(\d+)\]|memory\[(\d+)\]")


def report_changes(converted: Converted, name: str, report: str | None) -> bool:
    """Report all changes, for a person on standard error and for programs if wanted; return True on success.

    Parameters:
        converted: The converted text.
        name: The display name of the text.
        report: File of the report as JSON; `-` is standard error, without the lines for a person.
    """
    if report != "-":
        for change in converted.changes:
            print(line_of(change, name), file=sys.stderr)
        if converted.changes:
            kinds = Counter(change.kind for change in converted.changes)
            print(", ".join(_count_kind(number, kind) for kind, number in kinds.items()), file=sys.stderr)
    if report is None:
        return True
    data = {
        "schema_version": JSON_VERSION,
        "from": converted.from_,
        "to": converted.to,
        "is_converted": converted.text is not None,
        "is_lossless": converted.is_lossless,
        "changes": [{key: value for key, value in asdict(each).items() if value} for each in converted.changes],
    }
    text = f"{json.dumps(data, indent=2)}\n"
    if report == "-":
        sys.stderr.write(text)
        return True
    return write_text(text, report)


def _count_kind(number: int, kind: str) -> str:
    return f"{number} losses" if kind == "loss" and number > 1 else format_count(number, kind)


def line_of(change: Change, name: str) -> str:
    """Format a change as a line."""
    where = f"{name}:{change.line}:{change.column}" if change.line is not None else name
    part = change.path or ("" if change.line is not None else _describe_path(change.part))
    words = [where, change.kind, *([part] if part else []), change.sentence]
    return mask_controls(": ".join(words) + (f"; {change.cure}" if change.cure else ""))


def _describe_path(part: str) -> str:
    """Describe the path of a part in words, counted from 1; empty for the whole prompt, or a whole section."""
    steps = [f"{match[1] or 'memory'} {int(match[2] or match[3]) + 1}" for match in _STEP.finditer(part)]
    return ", ".join(steps)
