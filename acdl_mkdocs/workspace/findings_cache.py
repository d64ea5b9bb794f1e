"""A cache of findings between runs of `acdl check`: one file for a project, safe to delete.

One line for each text: a digest of everything that its problems depend on, its file relative to the project's folder,
and the problems, both as JSON. A damaged file counts as absent.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.atomic import drop_old_drafts, replace_file
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, Severity, TextEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.cache import compute_checksum
from acdl_mkdocs.workspace.read_block import Finding

_NOTHING = "[]"
_Words: TypeAlias = tuple[int, int, str]
"""A span and a text."""


class FindingsCache:
    """The problems of texts: those of the last runs, and those of this one."""

    def __init__(self, project: Path, path: Path) -> None:
        """Open the cache.

        Parameters:
            project: The folder of the project; the cache is the same for all working folders inside it.
            path: The cache's file, which need not exist.
        """
        self.project, self.path = project, path
        self._old_entries = _read(path)
        self._new_entries: dict[str, tuple[str, str]] = {}

    def find_findings(self, key: str) -> str | None:
        """Return the problems of a text as `encode` wrote them, if they are known."""
        entry = self._old_entries.get(key)
        return entry[1] if entry else None

    def keep_findings(self, key: str, name: str, findings: str) -> None:
        """Store the problems of a text.

        Parameters:
            key: Digest of everything that they depend on.
            name: The file of the text; they are dropped when it has other texts, or no longer exists.
            findings: The problems as `encode` writes them.
        """
        self._new_entries[key] = self._from_project(name), findings

    def save_file(self) -> None:
        """Write the cache if it changed; a full or read-only disk is not an error."""
        names = {name for name, _ in self._new_entries.values()}
        old_entries = {
            key: each for key, each in self._old_entries.items() if each[0] not in names and self._is_file(each[0])
        }
        entries = old_entries | self._new_entries
        if entries == self._old_entries:
            return
        lines = (f"{key}\t{json.dumps(name)}\t{findings}\n" for key, (name, findings) in entries.items())
        body = "".join(lines).encode()
        with suppress(OSError):
            drop_old_drafts(self.path.parent)
            replace_file(self.path, compute_checksum(body).encode() + b"\n" + body)

    def _from_project(self, name: str) -> str:
        path = Path(os.path.abspath(name))
        return path.relative_to(self.project).as_posix() if path.is_relative_to(self.project) else str(path)

    def _is_file(self, name: str) -> bool:
        return os.path.isfile(self.project / name)


def encode_findings(findings: Sequence[Finding], source: Source) -> str:
    """Encode problems as one line of JSON.

    Parameters:
        findings: Each with the text that its spans are of.
        source: One of the two texts that they can refer to; any other text is the second one.
    """
    return (
        json.dumps([[each is source, *_encode_diagnostic(diagnostic)] for diagnostic, each in findings])
        if findings
        else _NOTHING
    )


def decode_findings(encoded: str, source: Source, header: Source) -> tuple[Finding, ...]:
    """Decode the problems that `encode` wrote, with the texts of their spans."""
    if encoded == _NOTHING:
        return ()
    return tuple((_decode_diagnostic(*values), source if is_own else header) for is_own, *values in json.loads(encoded))


def _encode_diagnostic(diagnostic: Diagnostic) -> list[object]:
    labels = [[each.span.start, each.span.end, each.text] for each in (diagnostic.label, *diagnostic.related)]
    fix = diagnostic.fix
    cure = fix and [fix.title, fix.is_safe, [[each.span.start, each.span.end, each.text] for each in fix.edits]]
    return [diagnostic.rule, diagnostic.severity, diagnostic.message, labels, diagnostic.help, cure]


def _decode_diagnostic(
    rule: str,
    severity: Severity,
    message: str,
    labels: list[_Words],
    cures: list[str],
    fix: tuple[str, bool, list[_Words]] | None,
) -> Diagnostic:
    label, *related = (Label(Span(start, end), text) for start, end, text in labels)
    edits = tuple(TextEdit(Span(start, end), text) for start, end, text in fix[2]) if fix else ()
    return Diagnostic(
        rule=rule,
        severity=severity,
        message=message,
        label=label,
        related=tuple(related),
        help=tuple(cures),
        fix=Fix(fix[0], edits, fix[1]) if fix else None,
    )


def _read(path: Path) -> dict[str, tuple[str, str]]:
    """Read the entries of a file, by digest; none if it is not exactly as written."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        lines = body.decode().split("\n")[:-1] if head.decode() == compute_checksum(body) else []
        return {key: (json.loads(name), findings) for key, name, findings in (line.split("\t") for line in lines)}
    except (OSError, ValueError):
        return {}
