"""`findings_of()`: the verdicts of recorded runs on the spec of a block, as plain data that can be kept between builds.

Checking large recordings takes long, so findings are cached, and kept in a folder if there is
one: a file for each spec, found by a digest of everything that it depends on, safe to delete.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acdl_mkdocs.foundation.atomic import drop_old_drafts, replace_file
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.frontends.docs.blocks.run_marks import LineMark, RunFindings, RunProblem
from acdl_mkdocs.workspace.cache import compute_checksum, digest_of, is_disabled, key_of
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.read_block import BlockText
from acdl_mkdocs.workspace.recorded_runs import RunsText

if TYPE_CHECKING:
    from acdl_mkdocs.language.names.resolve import Resolved
    from acdl_mkdocs.workspace.catalog import Levels

_N_REMEMBERED = 64
_N_KEPT = 200
"""The most files in a folder; beyond it, the oldest are deleted."""


_remembered: dict[str, RunFindings] = {}


def findings_of(
    text: BlockText, others: "Levels", config: Config, resolve: Callable[[], "Resolved"], folder: Path | None
) -> RunFindings:
    """Check the runs of a block against its spec; empty without runs.

    Parameters:
        text: The block.
        others: The other texts that define what it uses.
        config: How the text is read.
        resolve: Resolves the text; called if no findings are kept.
        folder: Where findings are kept; `None` keeps them in memory only.
    """
    runs, options = text.runs, text.options
    if runs is None or not runs.paths:
        return RunFindings()
    used = [digest_of(each) for level in others for each in level]
    facts = (options.spec, options.range, options.mutants, options.excerpts, runs.facts)
    key = key_of(text.source, facts, used)
    folder = None if folder is None else folder / "runs"
    if key not in _remembered:
        run_findings = _load_kept(folder, key)
        if run_findings is None:
            run_findings = _check_runs(text, runs, config, resolve())
            _save_kept(folder, key, run_findings)
        while len(_remembered) >= _N_REMEMBERED:
            del _remembered[next(iter(_remembered))]
        _remembered[key] = run_findings
    return _remembered[key]


def _check_runs(text: BlockText, runs: RunsText, config: Config, resolved: "Resolved") -> RunFindings:
    """Check the runs; what cannot be done is a problem of the block."""
    from acdl_mkdocs.app.check_runs import RunOptions, check_runs, open_runs
    from acdl_mkdocs.app.understood import ResolvedText
    from acdl_mkdocs.evaluation.state.read import read_state
    from acdl_mkdocs.foundation.errors import AcdlError
    from acdl_mkdocs.frontends.docs.blocks.verified import summarize_runs

    understood = ResolvedText(resolved, replace(config, range=text.options.range))
    options = RunOptions(text.options.spec or None, mutants=text.options.mutants)
    try:
        state = None if runs.state is None else read_state(read_text(runs.state), runs.state.name, runs.state.parent)
        checked = check_runs(understood, state, partial(open_runs, runs), options)
    except (AcdlError, UnreadableFileError) as reason:
        return _unusable_runs(str(reason))
    if not checked.found:
        wrong, source = checked.errors[0]
        return _unusable_runs(f"{source.name}: {wrong.message}")
    return summarize_runs(checked.found[0], text.options.excerpts)


def _unusable_runs(why: str) -> RunFindings:
    return RunFindings(troubles=(RunProblem("", "run-file", "error", why, 0, 0, "named here", ()),))


def _load_kept(folder: Path | None, key: str) -> RunFindings | None:
    """Return the findings of an earlier build; a damaged file counts as absent."""
    if folder is None or is_disabled():
        return None
    try:
        head, _, body = (folder / f"{key}.json").read_bytes().partition(b"\n")
        if head.decode() != compute_checksum(body):
            return None
        data: dict[str, Any] = json.loads(body)
        marks = tuple(LineMark(**each) for each in data.pop("marks"))
        troubles = tuple(RunProblem(**{**each, "help": tuple(each["help"])}) for each in data.pop("troubles"))
        return RunFindings(**data, marks=marks, troubles=troubles)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _save_kept(folder: Path | None, key: str, run_findings: RunFindings) -> None:
    """Keep findings for the next build; a full or read-only disk is not an error."""
    if folder is None or is_disabled():
        return
    body = json.dumps(asdict(run_findings), ensure_ascii=False).encode("utf-8", "replace")
    with suppress(OSError):
        replace_file(folder / f"{key}.json", compute_checksum(body).encode() + b"\n" + body)
        oldest = sorted(folder.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)[_N_KEPT:]
        for each in oldest:
            each.unlink(missing_ok=True)
        drop_old_drafts(folder)
