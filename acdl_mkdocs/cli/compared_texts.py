"""The two texts that `acdl diff` compares: files, blocks of pages, revisions of both, or standard input."""

import os
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.cli.messages import complain
from acdl_mkdocs.cli.spec_and_state import chosen_input, inputs_of
from acdl_mkdocs.compare.choose_specs import definition_names
from acdl_mkdocs.compare.revisions import commit_of, read_revision, split_revision
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.workspace.files import UnreadableFileError, decode, printable
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_inputs
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.revision_uses import files_of_revision
from acdl_mkdocs.workspace.search import Named
from acdl_mkdocs.workspace.settings import load_settings


@dataclass(frozen=True, slots=True)
class ComparedText:
    """One of the two."""

    given: Input
    resolved: Resolved
    path: str
    """Of its file, also where it is a revision of it."""
    spec: str | None
    """The definition that is compared, if not all of the text is."""
    range: RangeMode
    """How ranges are read where the text does not say it."""

    @property
    def parsed(self) -> Parsed:
        """Its tree."""
        return self.resolved.parsed


def read_text(
    name: str, spec: str | None = None, range_mode: RangeMode | None = None, other: str | None = None
) -> ComparedText:
    """The text that a person names: `a.acdl`, `a.acdl#Name`, `HEAD~1:a.acdl`, `page.md#Name`, `-`.

    Parameters:
        name: The text.
        spec: The definition that is compared, if not all of the text is.
        range_mode: How ranges are read, whatever the text says.
        other: The definition of the other text: of a page with several, the block of that name is taken.

    Raises:
        UnusableInputError: It cannot be read.
        AcdlError: It is not there.
    """
    path, behind = _split(name)
    spec = spec or behind
    revised = split_revision(path)
    inputs = inputs_of(path) if revised is None else _revised(*revised, path)
    given = chosen_input(inputs, spec or other, path)
    mode = range_mode or given.text.options.range
    return ComparedText(given, given.understood().resolved, revised[1] if revised else path, spec, mode)


def texts_of(name: str, path: str, data: bytes, range_mode: RangeMode | None = None) -> dict[str, ComparedText]:
    """The texts of a file that is read already: itself under no name, or each block of a page by its spec.

    Parameters:
        name: What a person calls the file: `main:docs/page.md`.
        path: Its path below what is compared, which says what it is.
        data: What it says.
        range_mode: How ranges are read, whatever the file says.

    Raises:
        UnusableInputError: It is no text.
    """
    found: dict[str, ComparedText] = {}
    revised = split_revision(name)
    place = revised[1] if revised else name
    for number, each in enumerate(_inputs_of(data, name), 1):
        resolved = each.understood().resolved
        named = definition_names(resolved.parsed)
        key = "" if not path.lower().endswith((".md", ".markdown")) else named[0] if named else f"block-{number}"
        text = ComparedText(each, resolved, place, None, range_mode or each.text.options.range)
        found.setdefault(key if key not in found else f"{key}-{number}", text)
    return found


def say_problems(text: ComparedText) -> None:
    """Say what is not understood of a text, and what of it is not of the same time."""
    name = text.parsed.source.name
    if text.parsed.diagnostics:
        n_errors = counted(len(text.parsed.diagnostics), "syntax error")
        complain(f"{name} has {n_errors}, and what is not understood is compared as text")
    for problem, source in text.given.text.findings:
        if problem.severity == "error":
            complain(f"{name}:{source.place(problem.label.span.start).line}: {problem.message}")


def _split(name: str) -> tuple[str, str | None]:
    """A path, and the name of a definition behind `#` if there is no file of the whole name."""
    path, sign, behind = name.rpartition("#")
    if not sign or not path or os.path.exists(name):
        return name, None
    return path, behind or None


def _revised(revision: str, path: str, name: str) -> list[Input]:
    """The texts of a file as a revision has it."""
    inputs = _inputs_of(read_revision(revision, path), name)
    if not inputs:
        raise UnusableInputError(f"{name}: has no acdl blocks")
    return inputs


def _inputs_of(data: bytes, name: str) -> list[Input]:
    """The texts of a file of which it is known what it says, called by another name than its path.

    What they use is read from where they are: the revision in the name, or the files as they are.
    """
    try:
        text = printable(decode(data))
    except UnreadableFileError as reason:
        raise UnusableInputError(f"{name} {reason}") from None
    revised = split_revision(name)
    named = Named(Path(revised[1] if revised else name), Path("spec"), text=text)
    used = files_of_revision(commit_of(revised[0]), revised[0], project_of(Path(revised[1]))) if revised else None
    config = Config(range=load_settings(named.folder).config.range, snippet=True)
    inputs = read_inputs(named, config, used_files=used)
    return [replace(each, text=replace(each.text, source=replace(each.text.source, name=name))) for each in inputs]
