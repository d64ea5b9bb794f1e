"""One of the two texts that a block compares: found by the name in the block.

A name is a spec or fragment of the site, a file of the project, a definition of a file (`specs/a.acdl#React1`), or one
of these files in a git revision (`HEAD~1:specs/a.acdl`). Compares nothing.
"""

import os
from collections.abc import Iterable
from dataclasses import field, replace
from itertools import combinations
from pathlib import Path

from acdl_mkdocs.compare.revisions import commit_of, files_of_ref, read_blob, split_revision
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.errors import RevisionError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.language.syntax.letters import normalize_name
from acdl_mkdocs.workspace.catalog import Levels
from acdl_mkdocs.workspace.files import UnreadableFileError, decode_text, include_file
from acdl_mkdocs.workspace.read_block import BlockText, find_defined_names
from acdl_mkdocs.workspace.revision_uses import files_of_revision
from acdl_mkdocs.workspace.used_files import UsedFiles, Uses, read_uses

_NO_GIT = "name a file in place of the revision, or build the site in a git clone"


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One of the two texts."""

    title: str
    """The name for readers."""
    source: Source | None = None
    """The whole text that contains it; `None` if it was not found."""
    definition: str = ""
    """The spec or fragment; empty for the whole text."""
    address: str = ""
    """The address that the page links to; empty if it has no figure."""
    problems: tuple[Diagnostic, ...] = ()
    """Spans are those of the options of the block."""
    files: tuple[Path, ...] = ()
    """The files that it was read from, or that were tried."""
    is_file: bool = True
    """Whether its text is in a current file of the project."""
    commit: str = ""
    """The commit of a text of a git revision."""
    uses: Uses = field(default_factory=Uses, repr=False)
    """The files that `// acdl: use` names, in its revision."""
    use_problems: tuple[Diagnostic, ...] = ()
    """The problems of these comments; spans are those of the text."""

    def with_files(self, folder: Path, root: Path, used_files: UsedFiles) -> "DiffSide":
        """Return the side with the files that its text uses.

        Parameters:
            folder: The folder of its file.
            root: The project's folder.
            used_files: Files of the same revision that others use.
        """
        if self.source is None:
            return self
        uses, problems = read_uses(self.source, folder, root, used_files)
        files = self.files if self.commit else (*self.files, *uses.list_files())
        return replace(self, uses=uses, use_problems=problems, files=files)


def side_of(name: str, span: Span, opening: Source, page: Page) -> DiffSide:
    """Find the text that a block names.

    Parameters:
        name: The name in the block.
        span: Its place in the options of the block.
        opening: The options.
        page: The page of the block, which knows the specs of its site.
    """
    revised = split_revision(name, page.root)
    if revised is not None:
        return _in_revision(*revised, span, page)
    if _is_file(name):
        return _in_file(name, span, opening, page)
    return _on_site(name, span, page)


def _is_file(name: str) -> bool:
    return "/" in name or "#" in name or name.lower().endswith(".acdl")


def _in_file(name: str, span: Span, opening: Source, page: Page) -> DiffSide:
    included = include_file(name, opening, page.root)
    files = (included.path,) if included.path else ()
    problems = tuple(_move_problem(each, span) for each in included.diagnostics)
    if included.source is None:
        return DiffSide(name, problems=problems, files=files)
    side = _choose_definition(DiffSide(name, included.source, included.spec, files=files), span, page)
    folder = included.path.parent if included.path else page.root
    return side.with_files(folder, page.root, page.used_files)


def _in_revision(revision: str, path: str, span: Span, page: Page) -> DiffSide:
    """Return a file in git: only one of the project, and only from its local repository."""
    path, _, spec = path.partition("#")
    called = f"{path} at {revision}"
    root = page.root.resolve()
    problem = _no_path(revision, path, spec, span, root)
    if problem is not None:
        return DiffSide(called, problems=(problem,))
    try:
        commit = commit_of(revision, root)
        text = make_printable(decode_text(read_blob(commit, revision, path, root)))
        watched = files_of_ref(revision, root)
    except RevisionError as reason:
        message, _, cure = str(reason).partition("; ")
        problem = error("unknown-revision", message, Label(span, "asked for here"), help=cure or _NO_GIT)
        return DiffSide(called, problems=(problem,))
    except UnreadableFileError as reason:
        problem = error("unreadable-src", f"the file `{path}` {reason}", Label(span, "named here"))
        return DiffSide(called, problems=(problem,))
    name = f"{revision}:{path}"
    side = DiffSide(called, Source(text, name), spec, files=watched, is_file=False, commit=commit)
    folder = (root / path).parent
    return replace(_choose_definition(side, span, page), address="").with_files(
        folder, root, files_of_revision(commit, revision, root)
    )


def _no_path(revision: str, path: str, spec: str, span: Span, root: Path) -> Diagnostic | None:
    """Return the problem of the path after a revision, before git is called."""
    if not path:
        cure = f"write its path behind the colon: `{revision}:specs/chat.acdl{f'#{spec}' if spec else ''}`"
        message = f"no file of the revision `{revision}` is named"
        return error("unknown-revision", message, Label(span, "the path is missing"), help=cure)
    if not Path(os.path.normpath(root / path)).is_relative_to(root):
        label = Label(span, "only files of the project's folder are read")
        return error("src-outside-project", f"the file `{path}` lies outside the project", label)
    return None


def _on_site(name: str, span: Span, page: Page) -> DiffSide:
    """Return a spec or fragment that the page or the site shows, the page's own first."""
    wanted = normalize_name(name)
    texts = page.catalog.find_shown_texts(wanted)
    for address, text in texts.items():
        side = DiffSide(name, text.source, wanted, address, _check_ambiguity(wanted, list(texts.values()), span))
        return _add_site_files(side, text, page)
    site_text = page.catalog.text_of(wanted)  # tools that pass blocks one by one do not know where figures are
    if site_text is not None:
        return _add_site_files(DiffSide(name, site_text.source, wanted), site_text, page)
    near = find_closest(wanted, page.catalog.names)
    is_known = bool(page.catalog.names)
    cures = (
        f"did you mean `{near}`?"
        if near
        else "name a spec of this site, or a file with its path from the project's folder: `specs/chat.acdl#Chat`"
    )
    what = "no page of this site has" if is_known else "nothing is known here that has"
    problem = error(
        "unknown-spec", f"there is no spec named `{name}`", Label(span, f"{what} a spec of that name"), help=cures
    )
    return DiffSide(name, problems=(problem,))


def _add_site_files(side: DiffSide, text: BlockText, page: Page) -> DiffSide:
    """Return a side that the site shows, with the files that its text uses."""
    if text.uses.known is not None:
        return replace(side, uses=text.uses, files=(*side.files, *text.uses.list_files()))
    root = page.named_from or page.root
    return side.with_files((root / text.source.name).parent, root, page.used_files)


def _check_ambiguity(name: str, texts: list[BlockText], span: Span) -> tuple[Diagnostic, ...]:
    """Return a problem if several different texts define a name."""
    words = {each.source.text: each.source for each in texts}
    if len(words) < 2:
        return ()
    from acdl_mkdocs.compare.choose_specs import definition_names, select_definition
    from acdl_mkdocs.compare.structure.diff import diff
    from acdl_mkdocs.language.syntax.parse import parse

    trees = [tree for tree in map(parse, words.values()) if name in definition_names(tree)]
    pairs = combinations([select_definition(tree, name) for tree in trees], 2)
    other = next((two for one, two in pairs if diff(one, two, same=(name, name)).edits), None)
    if other is None:
        return ()
    names = sorted({source.name for source in words.values()})
    message = f"several texts define `{name}`, and the first is compared: {', '.join(f'`{each}`' for each in names)}"
    cure = f"name the file of the one that is meant: `{names[0]}#{name}`"
    return (warning("ambiguous-side", message, Label(span, "more than one has this name"), help=cure),)


def _choose_definition(side: DiffSide, span: Span, page: Page) -> DiffSide:
    """Return a side whose text defines the requested name, with the place of its figure."""
    if not side.definition:
        return side
    names = find_defined_names(side.source.text if side.source else "")
    wanted = normalize_name(side.definition)
    if wanted not in names:
        problem = error(
            "unknown-spec",
            f"there is no spec named `{side.definition}`",
            _label_at(span),
            help=_suggest_name(wanted, names),
        )
        return replace(side, source=None, definition="", problems=(problem,))
    figures = page.catalog.find_figures(wanted)
    name = side.source.name if side.source else ""
    address = next((each for each, source in figures.items() if source.name == name), "")
    called = f"{wanted} at {side.source.name.partition(':')[0]}" if side.source and not side.is_file else wanted
    return replace(side, title=called, definition=wanted, address=address)


def _label_at(span: Span) -> Label:
    return Label(span, "the file does not define it")


def _suggest_name(wanted: str, names: Iterable[str]) -> str:
    near = find_closest(wanted, names)
    listed = ", ".join(f"`{name}`" for name in sorted(names))
    return f"did you mean `{near}`?" if near else f"it defines {listed}" if listed else "it defines nothing"


def _move_problem(problem: Diagnostic, span: Span) -> Diagnostic:
    """Return a problem at the place of its option."""
    return replace(problem, label=replace(problem.label, span=span))


_LEVEL_OF_USED_FILES = 1
"""The level of files that a text names, which are in its revision already."""


def levels_of(side: DiffSide, page: Page) -> tuple[Levels, tuple[Diagnostic, ...]]:
    """Return the texts, and a warning if the old version of one is not available; its span is one of the side's text.

    Parameters:
        side: A side that was found.
        page: The page, which knows the texts of its site.
    """
    if side.source is None:
        return (), ()
    levels = page.catalog.find_all_sources(BlockText(side.source, uses=side.uses))
    if not side.commit:
        return levels, ()
    revision = side.source.name.partition(":")[0]
    old_levels: list[tuple[Source, ...]] = []
    newer: dict[str, None] = {}
    for number, level in enumerate(levels):
        texts: list[Source] = []
        for source in level:
            old = source if number == _LEVEL_OF_USED_FILES else _level_at(source, side.commit, revision, page)
            texts.append(old or source)
            newer |= {} if old else {source.name: None}
        old_levels.append(tuple(texts))
    return tuple(old_levels), tuple(_newer_fragments(name, revision) for name in newer)


def _level_at(source: Source, commit: str, revision: str, page: Page) -> Source | None:
    """Return a file of the project in a revision; `None` for a text of a page, or if the revision lacks it."""
    if not source.name.endswith(".acdl"):
        return None
    root = page.root.resolve()
    try:
        return Source(
            make_printable(decode_text(read_blob(commit, revision, source.name, root))), f"{revision}:{source.name}"
        )
    except (RevisionError, UnreadableFileError):
        return None


def _newer_fragments(name: str, revision: str) -> Diagnostic:
    message = f"fragments of `{name}` are taken as they are now, not as in `{revision}`"
    cure = "keep them in a file that the spec names: `// acdl: use common.acdl`"
    return warning("newer-fragments", message, Label(Span(0, 0), "this text uses them"), help=cure)
