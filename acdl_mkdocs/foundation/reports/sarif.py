"""Diagnostics as a SARIF 2.1.0 log, for code scanning and for viewers in editors.

Places are in code points of the host file. In messages, braces are doubled and what would be a link is escaped, as the
format wants it (sections 3.11.5 and 3.11.6); not so in the documentation of rules, which viewers show unchanged.
"""

import json
import os
from collections.abc import Sequence
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label
from acdl_mkdocs.foundation.reports.options import CheckedFile, ReportOptions, RuleText, WholeRun, rule_address
from acdl_mkdocs.foundation.safe_text import escape_json
from acdl_mkdocs.foundation.source import Source, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def report(diagnostics: Sequence[Diagnostic], source: Source, options: ReportOptions | None = None) -> str:
    """Format the log of one text."""
    return report_run(WholeRun((CheckedFile(source.name, tuple((each, source) for each in diagnostics)),)), options)


def report_run(run: WholeRun, options: ReportOptions | None = None) -> str:
    """Format the log of all results; valid and empty if nothing is wrong."""
    options = options or ReportOptions()
    findings = [finding for file in run.files for finding in file.findings]
    names = sorted({diagnostic.rule for diagnostic, _ in findings})
    driver: dict[str, object] = {
        "name": "acdl",
        "semanticVersion": __version__,
        "rules": [_rule_object(name, run.rules.get(name), options) for name in names],
    }
    unread = [{"level": "error", "message": _message_object(sentence)} for sentence in run.unread]
    invocation = {"executionSuccessful": not unread, **({"toolExecutionNotifications": unread} if unread else {})}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [invocation],
                "originalUriBaseIds": {_ROOT: {"description": _message_object("the folder in which acdl was run")}},
                "columnKind": "unicodeCodePoints",
                "results": [_result_object(each, source, names.index(each.rule)) for each, source in findings],
            }
        ],
    }
    return escape_json(json.dumps(log, ensure_ascii=False, indent=2).translate(_SURROGATES)) + "\n"


def _rule_object(name: str, about: RuleText | None, options: ReportOptions) -> dict[str, object]:
    described: dict[str, object] = {"id": name}
    if about:
        described |= {
            "shortDescription": {"text": about.problem},
            "fullDescription": {"text": about.problem},
            "help": {"text": about.text, "markdown": about.markdown},
            "defaultConfiguration": {"level": about.severity},
        }
    address = rule_address(name, options)
    return {**described, "helpUri": address} if address else described


def _result_object(diagnostic: Diagnostic, source: Source, rule_index: int) -> dict[str, object]:
    """Return one problem with its places and, if available, its automatic fix."""
    words = [diagnostic.message, *(f"help: {cure}" for cure in diagnostic.help)]
    result: dict[str, object] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": rule_index,
        "level": diagnostic.severity,
        "message": _message_object("\n".join(words)),
        "locations": [_location_object(diagnostic.label, source)],
    }
    if diagnostic.related:
        places = enumerate(diagnostic.related, 1)
        result["relatedLocations"] = [{"id": number, **_location_object(label, source)} for number, label in places]
    if diagnostic.fix:
        result["fixes"] = [_fix_object(diagnostic.fix, source)]
    return result


def _fix_object(fix: Fix, source: Source) -> dict[str, object]:
    edits = sorted(fix.edits, key=lambda edit: edit.span.start)
    replacements = [
        {"deletedRegion": _region_object(edit.span, source), "insertedContent": {"text": source.in_host(edit.text)}}
        for edit in edits
    ]
    return {
        "description": _message_object(fix.title),
        "artifactChanges": [{"artifactLocation": _artifact_object(source.name), "replacements": replacements}],
        "properties": {"isSafe": fix.is_safe},
    }


def _location_object(label: Label, source: Source) -> dict[str, object]:
    location = {"artifactLocation": _artifact_object(source.name), "region": _region_object(label.span, source)}
    return {"physicalLocation": location, "message": _message_object(label.text)}


def _artifact_object(name: str) -> dict[str, object]:
    """Return the location of a file, relative to the folder of the run if possible."""
    path = PureWindowsPath(name) if "\\" in name or PureWindowsPath(name).drive else PurePosixPath(name)
    if path.is_absolute():
        return {"uri": _file_uri(path)}
    return {"uri": quote(path.as_posix(), safe="/", errors="replace"), "uriBaseId": _ROOT}


def _file_uri(path: PurePath) -> str:
    """Return `as_uri` of a path, also for paths of another system, which Python supports only from 3.14 on."""
    drive = path.drive if len(path.drive) == 2 else ""
    start = "file:" if path.drive and not drive else f"file:///{drive}" if drive else "file://"
    return start + quote(os.fsencode(path.as_posix().removeprefix(drive)))


def _region_object(span: Span, source: Source) -> dict[str, int]:
    start, end = source.find_place(span.start), source.find_place(max(span.start, span.end))
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _message_object(text: str) -> dict[str, object]:
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "\\](")}
