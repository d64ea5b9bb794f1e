"""Check texts: the problems of each, or the text with all fixes applied.

Unchanged texts are not checked again; if many are left, all cores share them.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Fixed, fix_until_stable
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.options import Checked
from acdl_mkdocs.foundation.system import n_processes
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.workspace.cache import digest_of, find_cache_folder, key_of
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.examine import examine_text
from acdl_mkdocs.workspace.findings_cache import FindingsCache, decode_findings, encode_findings
from acdl_mkdocs.workspace.inputs import Input
from acdl_mkdocs.workspace.project import find_project
from acdl_mkdocs.workspace.read_block import BlockText, Finding
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.used_files import Uses

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.page_kinds import PageKind

_CACHE_FILE = "check.txt"
_LEAST_CACHED = 20
"""Fewer texts are checked faster than their changes could be detected."""
_LEAST_SHARED = 200
"""Fewer texts are checked before other processes would be ready."""
_CHUNK = 16
_MOST_PARSED = 500
"""After this many checks, the texts that others use are parsed again."""

_RECEIVED: list["_Job"] = []
"""The jobs of a worker process."""


@dataclass(frozen=True, slots=True)
class _Job:
    """Everything that the problems of a text depend on."""

    text: BlockText
    config: Config
    others: Levels
    used: frozenset[str]

    @property
    def facts(self) -> tuple[object, ...]:
        """Values that are equal for two jobs of one process with the same result."""
        text, header = self.text, self.text.header
        words = text.source.text, header and header.text, text.options, text.places
        others = [[source.text for source in level] for level in self.others]
        return words, self.config, self.used, others

    @property
    def key(self) -> str:
        """The cache key: equal for two jobs with the same result."""
        text, config = self.text, self.config
        header = text.header and text.header.text, sorted((name, repr(span)) for name, span in text.places.items())
        facts = (text.options, config.range, config.snippet, sorted(config.levels.items()), sorted(self.used))
        return key_of(text.source.text, header, facts, [list(map(digest_of, level)) for level in self.others])


def check(inputs: Iterable[Input], spec: str | None = None) -> Checked:
    """Return the problems of related texts, of their headers, and of the states of blocks.

    Parameters:
        inputs: The texts.
        spec: Name of the one definition to report problems of.
    """
    forget_parsed()
    inputs = tuple(inputs)
    pairs = zip(inputs, check_each(inputs), strict=True)
    return Checked(
        tuple(
            each
            for text_input, own in pairs
            for each in (own if spec is None else _select_inside(spec, text_input, own))
        )
    )


def _select_inside(spec: str, text_input: Input, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the problems inside a definition of a text."""
    spans = [each.node.span for each in text_input.examine_names().resolved.definitions.get(spec, ())]
    for diagnostic, source in findings:
        start = diagnostic.label.span.start
        if source is text_input.text.source and any(span.start <= start <= span.end for span in spans):
            yield diagnostic, source


def check_each(inputs: Iterable[Input]) -> Iterator[tuple[Finding, ...]]:
    """Yield the problems of each text, in order, in this process."""
    return (_check_input(each, _find_problems) for each in inputs)


def check_all(inputs: Sequence[Input]) -> Generator[tuple[Finding, ...]]:
    """Yield the problems of each text, in order and as soon as they are known: header and fence, then the text."""
    jobs = [_job(each) if _is_readable(each.text) and not each.is_reported_elsewhere else None for each in inputs]
    findings_cache = _open_findings_cache() if len(inputs) >= _LEAST_CACHED else None
    keys = [job.key if job and findings_cache else "" for job in jobs]
    cached_findings = [findings_cache.find_findings(key) if findings_cache else None for key in keys]
    waiting = [job for job, findings in zip(jobs, cached_findings, strict=True) if job and findings is None]
    with _save_at_end(findings_cache), _share_jobs(waiting) as results:
        for text_input, job, key, cached in zip(inputs, jobs, keys, cached_findings, strict=True):
            text = text_input.text
            if job is None:
                yield text.findings + _check_state(text_input)
                continue
            findings = next(results) if cached is None else cached
            if findings_cache:
                findings_cache.keep_findings(key, text.source.name, findings)
            yield text.findings + _decode_for(text, findings) + _check_state(text_input)


def forget_parsed() -> None:
    """Clear the cache of parsed texts, which would grow in a long-running process."""
    _shared_catalog.cache_clear()


def analyse_input(item: Input) -> Analysis:
    """Analyse a text with all rules, as `check_each` does."""
    job = _job(item)
    config = replace(job.config, range=job.text.options.range)
    return analyse(job.text.source, config, _shared_catalog().build_library(job.others, job.used))


def fix(
    text: str,
    read: Callable[[str], Sequence[Input]],
    *,
    unsafe: bool = False,
    page_kind: "PageKind | None" = None,
) -> Fixed:
    """Apply the fixes of a text, or of the blocks of a page, until none is left.

    Parameters:
        text: The contents of the file.
        read: Returns the inputs to check in a changed text of the file.
        unsafe: Whether fixes are applied that may change what a spec means.
        page_kind: How the page is read; without it, the text is a spec.
    """

    def find(changed: str) -> list[Finding]:
        return list(chain.from_iterable(check_each(read(changed))))

    if page_kind is not None:
        from acdl_mkdocs.workspace.page_edits import fix_page  # pages have edits of their own

        return fix_page(text, find, unsafe=unsafe, kind=page_kind)
    return fix_until_stable(text, lambda changed: [each for each, _ in find(changed)], unsafe=unsafe)


class IncrementalCheck:
    """Checks texts repeatedly, but only those whose inputs changed."""

    def __init__(self) -> None:
        """Start without results."""
        self._known: dict[tuple[Path | None, int], tuple[object, str]] = {}
        self._library = Catalog()
        self._n_examined = 0

    def check_file(self, named: NamedFile, inputs: Sequence[Input]) -> Iterator[Finding]:
        """Yield the problems of the texts of a file."""
        for number, text_input in enumerate(inputs):
            yield from _check_input(text_input, partial(self._check_job, (named.path, number)))

    def _check_job(self, key: tuple[Path | None, int], job: _Job) -> tuple[Finding, ...]:
        facts, findings = self._known.get(key, (None, ""))
        if facts != job.facts:
            if self._n_examined % _MOST_PARSED == 0:
                self._library = Catalog()  # it keeps every text that it ever saw
            self._n_examined += 1
            findings = encode_findings(_find_problems(job, self._library), job.text.source)
            self._known[key] = job.facts, findings
        return _decode_for(job.text, findings)


def _check_input(item: Input, check_job: Callable[[_Job], tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """Return the problems of a text: of its header and fence, then those that are found in it, then of its state."""
    is_checked = _is_readable(item.text) and not item.is_reported_elsewhere
    return item.text.findings + (check_job(_job(item)) if is_checked else ()) + _check_state(item)


def _decode_for(text: BlockText, findings: str) -> tuple[Finding, ...]:
    """Decode the problems of a text."""
    return decode_findings(findings, text.source, text.header or text.source)


def _check_state(item: Input) -> tuple[Finding, ...]:
    """Return the problems of the state that a block shows its text with, and of both together."""
    if item.text.state is None or not _is_readable(item.text):
        return ()
    from acdl_mkdocs.app.evaluate_block import evaluate_block  # few blocks have a state

    return evaluate_block(item.text, item.examine_names(), item.config).findings


@contextmanager
def _save_at_end(findings_cache: FindingsCache | None) -> Iterator[None]:
    """Save the cache at the end, also if the caller does not wait for all results."""
    try:
        yield
    finally:
        if findings_cache:
            findings_cache.save_file()


def _open_findings_cache() -> FindingsCache | None:
    """Return the findings of the last runs in this project; `None` if nothing can be cached."""
    project = find_project(Path())
    folder = find_cache_folder(project, is_wanted=True)
    return FindingsCache(project, folder / _CACHE_FILE) if folder else None


def _is_readable(text: BlockText) -> bool:
    """Return whether the problems of a text are meaningful: it exists, and is complete."""
    return bool(text.source.text.strip()) and not text.is_cut


def _job(item: Input) -> _Job:
    text, catalog = item.text, item.catalog
    return _Job(
        replace(text, uses=Uses()), item.config, catalog.find_sources(text), catalog.find_shared_fragments(text)
    )


@contextmanager
def _share_jobs(jobs: Sequence[_Job]) -> Iterator[Iterator[str]]:
    """Yield the encoded problems of texts, in order; several processes share many texts."""
    n_wanted = n_processes() if len(jobs) >= _LEAST_SHARED else 1
    if n_wanted < 2:
        yield map(_check_job, jobs)
        return
    # The initializer sends the shared parts of jobs once.
    pool = ProcessPoolExecutor(n_wanted, initializer=_store_jobs, initargs=(jobs,))
    try:
        yield pool.map(_check_job_at, range(len(jobs)), chunksize=_CHUNK)
    finally:
        pool.shutdown(cancel_futures=True)


def _store_jobs(jobs: Sequence[_Job]) -> None:
    _RECEIVED[:] = jobs


def _check_job_at(number: int) -> str:
    return _check_job(_RECEIVED[number])


def _check_job(job: _Job) -> str:
    """Check one text and return its encoded problems."""
    return encode_findings(_find_problems(job), job.text.source)


def _find_problems(job: _Job, catalog: Catalog | None = None) -> tuple[Finding, ...]:
    """Check one text with the texts that it uses, which a catalog keeps parsed; by default that of the process."""
    library = (catalog or _shared_catalog()).build_library(job.others, job.used)
    return examine_text(job.text, job.config, library).findings


@cache
def _shared_catalog() -> Catalog:
    """Return the catalog of the texts that others use, parsed once in each process."""
    return Catalog()
