"""Explanations of problems that no rule finds, read from `assets/problems/`: one file a family, a heading a problem.

Below the heading `# name` come the severity (if it is not an error and no example shows it), the problem as a clause, a
description of what is reported, and sections as in the docstrings of rules. The clauses of `pml.md` are in
`prompts.pml.problems`.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

from acdl_mkdocs.foundation.diagnostics import Severity

Family: TypeAlias = Literal["text", "block", "state", "evaluation", "playbook", "pml", "drawing"]
"""The part of the package that finds the problem: the parser, the reader of blocks in pages, the reader of states, the
evaluation of a spec with a state, the pages of playbooks, the reader of PML documents and model calls, or the reader of
drawings."""
FAMILIES: tuple[Family, ...] = get_args(Family)
FOLDER = Path(__file__).parents[1] / "assets" / "problems"

_HEADING = re.compile(
    r"^```.*?^```$|^# (?P<name>[\w-]+)\n+(?:Severity: (?P<severity>\w+)\n+)?", re.MULTILINE | re.DOTALL
)
"""A heading, or a fenced sample, which contains no headings."""
_SEVERITIES: Mapping[str | None, Severity] = {"note": "note", "warning": "warning", None: "error"}


class Explanation(NamedTuple):
    """The documentation of one problem."""

    severity: Severity
    """Unless its example shows another one."""
    text: str
    """Markdown: a clause in the first line, then sections."""


@cache
def read_explanations(family: Family) -> Mapping[str, Explanation]:
    """Read the explanations of a family by the name of the problem, in the order of the file."""
    text = (FOLDER / f"{family}.md").read_text("utf-8")
    headings = [heading for heading in _HEADING.finditer(text) if heading["name"]]
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return {
        heading["name"]: Explanation(_SEVERITIES[heading["severity"]], text[heading.end() : end].strip())
        for heading, end in zip(headings, ends, strict=True)
    }
