"""Read and check the texts of `acdl check`.

Unchanged texts are not checked again; if many are left, all cores share them.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Protocol

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.system import n_processes
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.workspace.cache import digest_of, find_cache_folder, key_of
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.findings_cache import FindingsCache, decode_findings, encode_findings
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, empty_used_files, read_inputs
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.read_block import BlockText, Finding, examine_text, find_defined_names
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import Settings
from acdl_mkdocs.workspace.used_files import UsedFiles, Uses

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


@dataclass(frozen=True, slots=True)
class GatheredTexts:
    """The texts of files, with a common catalog."""

    files: tuple[tuple[NamedFile, list[Input]], ...]
    problems: tuple[str, ...]
    """Why other files could not be read."""
    site: Catalog
    """All the texts."""
    used_files: UsedFiles
    """The files that `// acdl: use` refers to."""


class InputReader(Protocol):
    """Reads the texts of a file, like `read_inputs`."""

    def __call__(
        self,
        named: NamedFile,
        config: Config,
        /,
        *,
        range_mode: RangeMode | None,
        site: Catalog | None,
        used_files: UsedFiles | None,
    ) -> list[Input]:
        """Return the texts of a file."""


def gather_texts(
    files: Iterable[NamedFile],
    settings_of: Callable[[Path], Settings],
    mode: RangeMode | None,
    *,
    is_snippet: bool,
    read_one: "InputReader | None" = None,
) -> GatheredTexts:
    """Read files, each with the settings of its folder.

    Parameters:
        files: The files.
        settings_of: The settings of a folder.
        mode: How ranges are read; overrides files and settings.
        is_snippet: Whether files without a title are accepted.
        read_one: Reads one of them; by default `read_inputs`.
    """
    read_one = read_one or read_inputs
    site, used_files = Catalog(), empty_used_files()
    read: list[tuple[NamedFile, list[Input]]] = []
    problems: list[str] = []
    for named in files:
        try:
            config = replace(settings_of(named.folder).config, snippet=is_snippet)
            inputs = read_one(named, config, range_mode=mode, site=site, used_files=used_files)
        except (UnusableInputError, SettingsError) as reason:
            problems.append(str(reason))
            continue
        for each in inputs:
            site.add_text(each.text)
        read.append((named, inputs))
    return GatheredTexts(tuple(_mark_repeated(read)), tuple(dict.fromkeys(problems)), site, used_files)


def _mark_repeated(read: Iterable[tuple[NamedFile, list[Input]]]) -> Iterator[tuple[NamedFile, list[Input]]]:
    """Yield the texts; mark those of shown files that are reported by the file itself or by another block."""
    read = list(read)
    paths = {named.path.resolve() for named, _ in read if named.path and not named.is_page}
    for named, inputs in read:
        yield (
            named,
            [replace(each, is_reported_elsewhere=True) if mark_reported(each.text, paths) else each for each in inputs],
        )


def mark_reported(text: BlockText, reported: set[Path]) -> bool:
    """Return whether a block shows a file that was already reported, and add the file to those."""
    if text.file is None or text.options.spec not in ("", *find_defined_names(text.source.text)):
        return False
    path = text.file.resolve()
    is_known = path in reported
    reported.add(path)
    return is_known


def check_each(inputs: Iterable[Input]) -> Iterator[tuple[Finding, ...]]:
    """Yield the problems of each text, in order, in this process."""
    for each in inputs:
        text = each.text
        is_silent = each.is_reported_elsewhere or not _is_readable(text)
        findings = () if is_silent else decode_findings(_check_job(_job(each)), text.source, text.header or text.source)
        yield text.findings + findings + _check_state(each)


def check_all(inputs: Sequence[Input]) -> Generator[tuple[Finding, ...]]:
    """Yield the problems of each text, in order and as soon as they are known: header and fence, then the text."""
    jobs = [_job(each) if _is_readable(each.text) and not each.is_reported_elsewhere else None for each in inputs]
    findings_cache = _open_findings_cache() if len(inputs) >= _LEAST_CACHED else None
    keys = [job.key if job and findings_cache else "" for job in jobs]
    cached_findings = [findings_cache.find_findings(key) if findings_cache else None for key in keys]
    pending = [job for job, findings in zip(jobs, cached_findings, strict=True) if job and findings is None]
    with _save_at_end(findings_cache), _share_jobs(pending) as results:
        for text_input, job, key, cached in zip(inputs, jobs, keys, cached_findings, strict=True):
            text = text_input.text
            if job is None:
                yield text.findings + _check_state(text_input)
                continue
            findings = next(results) if cached is None else cached
            if findings_cache:
                findings_cache.keep_findings(key, text.source.name, findings)
            yield (
                text.findings
                + decode_findings(findings, text.source, text.header or text.source)
                + _check_state(text_input)
            )


def forget_parsed() -> None:
    """Clear the cache of parsed texts, which would grow in a long-running process."""
    _shared_catalog.cache_clear()


def analyse_input(item: Input) -> Analysis:
    """Analyse a text with all rules, as `check_each` does."""
    job = _job(item)
    config = replace(job.config, range=job.text.options.range)
    return analyse(job.text.source, config, _shared_catalog().build_library(job.others, job.used))


class IncrementalCheck:
    """Checks texts repeatedly, but only those whose inputs changed."""

    def __init__(self) -> None:
        """Start without results."""
        self._cache: dict[tuple[Path | None, int], tuple[object, str]] = {}
        self._library = Catalog()
        self._n_examined = 0

    def check_file(self, named: NamedFile, inputs: Sequence[Input]) -> Iterator[Finding]:
        """Yield the problems of the texts of a file."""
        for number, text_input in enumerate(inputs):
            text = text_input.text
            yield from text.findings
            if _is_readable(text) and not text_input.is_reported_elsewhere:
                findings = self._check_job((named.path, number), _job(text_input))
                yield from decode_findings(findings, text.source, text.header or text.source)
            yield from _check_state(text_input)

    def _check_job(self, key: tuple[Path | None, int], job: _Job) -> str:
        facts, findings = self._cache.get(key, (None, ""))
        if facts == job.facts:
            return findings
        if self._n_examined % _MOST_PARSED == 0:
            self._library = Catalog()  # it keeps every text that it has processed
        self._n_examined += 1
        examined = examine_text(job.text, job.config, self._library.build_library(job.others, job.used))
        findings = encode_findings(examined.findings, job.text.source)
        self._cache[key] = job.facts, findings
        return findings


def _check_state(item: Input) -> tuple[Finding, ...]:
    """Return the problems of the state that a block shows its text with, and of both together."""
    if item.text.state is None or not _is_readable(item.text):
        return ()
    from acdl_mkdocs.workspace.evaluated import evaluate_block  # few blocks have a state

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
    project = project_of(Path("here"))
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
    pool = ProcessPoolExecutor(
        n_wanted, initializer=_store_jobs, initargs=(jobs,)
    )  # shared parts of jobs are sent once
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
    examined = examine_text(job.text, job.config, _shared_catalog().build_library(job.others, job.used))
    return encode_findings(examined.findings, job.text.source)


@cache
def _shared_catalog() -> Catalog:
    """Return the catalog of the texts that others use, parsed once in each process."""
    return Catalog()
