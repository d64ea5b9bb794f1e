"""Read the playbook that a block of a page names from its file, with its history.

The published part of a file is cached for the process, because many blocks may name one playbook.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.playbook.learn.curve import RUN_FILE, read_curve, run_folder
from acdl_mkdocs.playbook.pages.block import LANGUAGE, Header, read_playbook_header
from acdl_mkdocs.playbook.pages.evaluation import evaluation_file
from acdl_mkdocs.playbook.pages.published import Published, publish_playbook
from acdl_mkdocs.playbook.store.history import History, read_history
from acdl_mkdocs.playbook.store.load import history_data, history_path, load_bytes
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.files import include_file
from acdl_mkdocs.workspace.read_block import Finding

_N_KEPT = 16


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """The playbook file that a block names."""

    path: Path | None = None
    """The file, or where it should be; `None` if it is outside the project."""
    published: Published | None = None
    """`None` if the file cannot be read, or has an error."""
    findings: tuple[Finding, ...] = ()
    """Problems of the name or the file; those of single bullets are in `published.problems`."""

    accuracy: Mapping[int, float] = field(default_factory=dict)
    """Maps revisions to the share of questions answered correctly with them, as measured by its run."""
    evaluation: Mapping[str, Json] = field(default_factory=dict)
    """The report of its evaluation; empty without one."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it was read from, or searched in."""
        if self.path is None:
            return ()
        return self.path, history_path(self.path), run_folder(self.path) / RUN_FILE, evaluation_file(self.path)


def find_playbook(header: Header, text: Source, root: Path) -> tuple[Header, PublishedFile]:
    """Read the playbook that the header of a block names; `src="playbook.yaml#id"` is one bullet of it.

    Parameters:
        header: The header that was read; returned with the bullet that `src` names.
        text: Its source.
        root: The project's folder.
    """
    if not header.options.src:
        label = Label(Span(0, len(text.text)), "no `src`")
        cure = "add `src=` and the file of the playbook, by its path from the project's folder"
        return header, PublishedFile(
            findings=((error("empty-block", "the block names no playbook", label, help=cure), text),)
        )
    included = include_file(header.options.src, text, root)
    if included.spec and not header.options.bullet:
        places = {**header.places, "bullet": header.places["src"]} if "src" in header.places else header.places
        header = replace(header, options=replace(header.options, bullet=(included.spec,)), places=places)
    if included.source is None or included.path is None:
        return header, PublishedFile(included.path, findings=tuple((each, text) for each in included.diagnostics))
    return header, read_published(included.path, included.source.name)


def find_playbook_files(text: str, root: Path) -> set[Path]:
    """Return the files of the playbooks that blocks of a page name, readable or not.

    Parameters:
        text: The page.
        root: The project's folder.
    """
    fences = [fence for fence in fences_of(text) if fence.language == LANGUAGE and not fence.is_code]
    headers = [Source(make_printable(fence.opening)) for fence in fences]
    paths = (find_playbook(read_playbook_header(header), header, root)[1].path for header in headers)
    return {path for path in paths if path is not None}


def belongs_to_playbook(path: Path, book: Path) -> bool:
    """Return whether a file belongs to a playbook: the playbook, its history, or a generated file beside them."""
    if path.parent == book.parent:
        return path.name == book.name or path.name.startswith((f"{book.stem}.", f"{book.name}.", f".{book.name}."))
    return run_folder(book) in path.parents


def read_published(path: Path, name: str) -> PublishedFile:
    """Read a playbook and its history. An unreadable or damaged history is a warning.

    Parameters:
        path: The file of the playbook.
        name: Its name in messages.

    Raises:
        OSError: The playbook cannot be read.
    """
    history_name, unread = history_path(Path(name)).as_posix(), ""
    try:
        events = history_data(path) or b""
    except OSError as reason:
        events, unread = b"", (reason.strerror or str(reason)).lower()
    published, findings = _read(name, path.read_bytes(), events, history_name)
    if unread and published:
        label = Label(Span(0, 0), "no change is shown")
        problem = warning("damaged-history", f"the history cannot be read: {unread}", label)
        findings += ((problem, Source("", history_name)),)
    accuracy = {point.revision: point.accuracy for point in read_curve(_read_measurements(run_folder(path) / RUN_FILE))}
    return PublishedFile(path, published, findings, accuracy, _read_measurements(evaluation_file(path)))


def _read_measurements(path: Path) -> dict[str, Json]:
    """Return the measurements in a file beside a playbook; empty if it is missing or invalid.

    Symbolic links are ignored: they may lead to any file.
    """
    if path.is_symlink() or path.parent.is_symlink():
        return {}
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


@lru_cache(maxsize=_N_KEPT)
def _read(name: str, data: bytes, events: bytes, history_name: str) -> tuple[Published | None, tuple[Finding, ...]]:
    loaded = load_bytes(data, name)
    source = Source(make_printable(loaded.source.text), name)
    findings: list[Finding] = [(each, source) for each in loaded.problems]
    if loaded.playbook is None:
        return None, tuple(findings)
    history = read_history(events)
    findings += ((each, Source("", history_name)) for each in _warn_of_damage(history, name))
    return publish_playbook(loaded.playbook, history.events, source), tuple(findings)


def _warn_of_damage(history: History, name: str) -> Iterator[Diagnostic]:
    """Warn about the damage of a history; an incomplete last revision was never committed."""
    for each in history.damage[:1] if not history.is_torn else ():
        label = Label(Span(0, 0), "what follows is not shown")
        message = f"line {each.line} of the history: {each.message}"
        yield warning("damaged-history", message, label, help=f"run `acdl playbook repair {name}`")
