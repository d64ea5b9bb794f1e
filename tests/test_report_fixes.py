"""The fixes in JSON lines and in SARIF logs can be applied to the file itself, also where a block is quoted."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, TextEdit, apply_fixes
from acdl_mkdocs.foundation.reports import json_lines, sarif
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.workspace.fences import scan_fences
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import read_block

NESTED = """\
P[@T]: {
    content
        GREETING

    U: If @T > 1 { HELLO }
    user: {
        Switch resp.kind[@T-1] {
            Default: { A_TEXT }
            Case "a": { B_TEXT

            }
        }
    }
}
S: LAST
Name unused := f(1)
"""
CONTAINERS = [("", ""), ("    ", "    "), ("\t", "\t"), ("> ", "> "), ("- > ", "  > "), ("[^1]: ", "    ")]


def found_in(source: Source) -> tuple[Diagnostic, ...]:
    """The diagnostics with a fix."""
    return tuple(each for each in analyse(source, Config(snippet=True)).diagnostics if each.fix)


def offset(text: str, line: int, column: int) -> int:
    """Where a 1-based line and column is; a column behind the end of its line is that end."""
    lines = text.split("\n")
    return sum(len(each) + 1 for each in lines[: line - 1]) + min(column - 1, len(lines[line - 1]))


def from_json(text: str, reported: str) -> list[Fix]:
    """The fixes of a report in JSON lines, as edits of the host file."""
    fixes: list[dict[str, Any]] = [json.loads(line)["fix"] for line in reported.splitlines()]
    return [
        Fix(
            fix["title"],
            tuple(
                TextEdit(
                    Span(
                        offset(text, edit["line"], edit["column"]), offset(text, edit["end_line"], edit["end_column"])
                    ),
                    edit["text"],
                )
                for edit in fix["edits"]
            ),
        )
        for fix in fixes
    ]


def from_sarif(text: str, reported: str) -> list[Fix]:
    """The fixes of a log, as edits of the host file."""
    fixes: list[Fix] = []
    for result in json.loads(reported)["runs"][0]["results"]:
        edits = []
        for each in result["fixes"][0]["artifactChanges"][0]["replacements"]:
            region = each["deletedRegion"]
            start = offset(text, region["startLine"], region["startColumn"])
            end = offset(text, region["endLine"], region["endColumn"])
            edits.append(TextEdit(Span(start, end), each["insertedContent"]["text"]))
        fixes.append(Fix("", tuple(edits)))
    return fixes


@pytest.mark.parametrize(("first", "others"), CONTAINERS)
def test_fixes_of_a_block(first: str, others: str) -> None:
    """Each fix of a block, applied to the page at the places of the report, gives the block that it gives alone."""
    body = "".join(f"{others}{line}".rstrip() + "\n" for line in NESTED.splitlines())
    page = f"text\n\n{first}```acdl\n{body}{others}```\n\nafter\n"
    source = read_block(next(scan_fences(page.split("\n"))), "a.md", BlockOptions(), Path()).source
    found = found_in(source)
    assert len(found) > 3
    assert any("\n" in edit.text for each in found if each.fix for edit in each.fix.edits)
    reports = [from_json(page, json_lines.report(found, source)), from_sarif(page, sarif.report(found, source))]
    for fixes in reports:
        for each, fix in zip(found, fixes, strict=True):
            assert each.fix is not None
            after = apply_fixes(page, [fix]).text.split("\n")
            fence = next(scan_fences(after))
            assert fence.is_closed
            assert fence.text.split() == apply_fixes(NESTED, [each.fix]).text.split()
            assert _lines(fence.text) == _lines(apply_fixes(NESTED, [each.fix]).text)
            assert after[fence.end :] == ["", "after", ""]


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


def test_fixes_of_a_file() -> None:
    """Lines that are put into a file with CR LF line ends have such ends, too."""
    text = NESTED.replace("\n", "\r\n")
    source = Source(text, "a.acdl")
    found = found_in(source)
    for fix in (*from_json(text, json_lines.report(found, source)), *from_sarif(text, sarif.report(found, source))):
        after = apply_fixes(text, [fix]).text
        assert after.count("\n") == after.count("\r\n")
