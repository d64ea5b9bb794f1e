"""`acdl check` for folders that are being edited: the same code, with open texts instead of files.

A text is checked again only if something changed that its problems depend on.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cache
from itertools import chain
from pathlib import Path

from acdl_mkdocs.app.check import IncrementalCheck
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.page_checks import PageChecks
from acdl_mkdocs.frontends.editor.documents import SUFFIXES
from acdl_mkdocs.frontends.lsp.publishing import Findings, FoundFiles
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text, use_unsaved_texts
from acdl_mkdocs.workspace.inputs import (
    GatheredTexts,
    Input,
    UnusableInputError,
    gather_texts,
    mark_reported,
    read_inputs,
    relocate_findings,
)
from acdl_mkdocs.workspace.page_kinds import ALSO_OTHERS, kind_of
from acdl_mkdocs.workspace.search import NamedFile, find_files, is_spec_or_page
from acdl_mkdocs.workspace.settings import Settings, load_settings
from acdl_mkdocs.workspace.used_files import UsedFiles


@dataclass(slots=True, eq=False)
class _SearchedFolder:
    """A folder of the editor, or one file outside of all folders, and its contents at the last look."""

    path: Path | None
    files: dict[Path, NamedFile] = field(default_factory=dict)
    gathered: GatheredTexts = field(default_factory=lambda: gather_texts((), load_settings, None, is_snippet=False))
    settings_of: Callable[[Path], Settings] = load_settings
    problems: tuple[str, ...] = ()
    specs: set[Path] = field(default_factory=set)
    """Its files that are not pages, with links resolved."""


class WorkspaceChecks:
    """Checks of folders that are being edited. Used by one thread at a time."""

    def __init__(self) -> None:
        """Begin without folders."""
        self._folders: list[_SearchedFolder] = []
        self._disk: dict[Path, str] = {}
        self._open: dict[Path, str] = {}
        self._unsaved: dict[Path, str] = {}
        self._rechecks = IncrementalCheck()
        self._is_cut = False
        self._read: dict[Path | None, tuple[object, list[Input]]] = {}

    def search_folders(self, folders: tuple[Path, ...], max_files: int) -> FoundFiles:
        """Find and read the files of folders, each of which is checked as `acdl check FOLDER` does."""
        self._folders, self._disk, self._read = [], {}, {}
        is_cut = False
        for path in folders:
            settings_of = cache(load_settings)
            named_files, problems = find_files([str(path)], settings_of) if path.is_dir() else ([], [])
            named_files = [each for each in named_files if each.path and not self._is_known(each.path)]
            room = max(max_files - len(self._disk), 0)
            is_cut |= len(named_files) > room
            files = {each.path: each for each in named_files[:room] if each.path}
            folder_problems = tuple(each for each in problems if named_files or "in this folder" not in each)
            self._folders.append(_SearchedFolder(path, files, problems=folder_problems))
            for each in files:
                self._read_from_disk(each)
        self._is_cut = is_cut
        return self._found_files()

    def _found_files(self) -> FoundFiles:
        folders = {*(each.parent for each in self._disk), *(each.path for each in self._folders if each.path)}
        return FoundFiles(dict(self._disk), _read_configs(folders), self.list_problems(), self._is_cut)

    def _is_known(self, path: Path) -> bool:
        return any(path in folder.files for folder in self._folders)

    def _read_from_disk(self, path: Path) -> None:
        self._disk.pop(path, None)
        try:
            self._disk[path] = read_text(path)
        except UnreadableFileError:
            return  # `gather_texts` reports why

    def reread_files(self, paths: Iterable[Path]) -> FoundFiles | None:
        """Read changed files again; `None` if folders must be searched again: files were added or removed."""
        for path in paths:
            if self._is_known(path) and path.exists():
                self._read_from_disk(path)
            elif self._is_known(path) or path.suffix.lower() == ".toml" or _may_be_ours(path):
                return None
        self._read = {}
        return self._found_files()

    def set_texts(self, texts: Mapping[Path, str]) -> None:
        """Set the open texts, by the absolute path of each: they override files."""
        self._open = dict(texts)
        self._unsaved = {path.resolve(): text for path, text in texts.items()}

    def check_file(self, path: Path, mode: RangeMode | None) -> Findings:
        """Check one file, using the results for the others."""
        with use_unsaved_texts(self._unsaved):
            folder = self._folder_of(path)
            if folder is None:
                alone = _SearchedFolder(None, {path: NamedFile(path, Path(path.stem))})
                return next(iter(self._check_folder(alone, mode, _is_never_stale)), (path, ()))[1]
            named = self._with_text(folder.files.get(path) or NamedFile(path, Path(path.stem), is_argument=False))
            inputs_by_path = {other.path: inputs for other, inputs in folder.gathered.files}
            site = folder.gathered.site.without_texts(each.text.source.text for each in inputs_by_path.get(path, ()))
            used = folder.gathered.used_files
            try:
                config = folder.settings_of(named.folder).config
                inputs = read_inputs(named, config, range_mode=mode, site=site, used_files=used)
            except (UnusableInputError, SettingsError):
                return ()
            spec_paths = set(folder.specs)
            inputs = [replace(each, is_reported_elsewhere=mark_reported(each.text, spec_paths)) for each in inputs]
            others = [each for each in folder.gathered.files if each[0].path != path]
            gathered = GatheredTexts(((named, inputs), *others), (), site, used)
            findings = (
                *self._rechecks.check_file(named, inputs),
                *PageChecks(gathered, folder.settings_of).check_file(named),
            )
            return relocate_findings(findings, named)

    def check_all(self, mode: RangeMode | None, is_stale: Callable[[], bool]) -> Iterator[tuple[Path, Findings]]:
        """Check each file, folder by folder, then open files outside; stop early if out of date."""
        with use_unsaved_texts(self._unsaved):
            alone = [path for path in self._open if self._folder_of(path) is None]
            for folder in (
                *self._folders,
                *(_SearchedFolder(None, {path: NamedFile(path, Path(path.stem))}) for path in alone),
            ):
                yield from self._check_folder(folder, mode, is_stale)
                if is_stale():
                    return

    def _check_folder(
        self, folder: _SearchedFolder, mode: RangeMode | None, is_stale: Callable[[], bool]
    ) -> Iterator[tuple[Path, Findings]]:
        files = dict(folder.files)
        for path in self._open:
            if folder.path and path not in files and self._folder_of(path) is folder:
                files[path] = NamedFile(path, Path(path.stem), is_argument=False)  # it is not saved yet
        folder.settings_of = cache(load_settings)
        named = map(self._with_text, files.values())
        folder.gathered = gather_texts(named, folder.settings_of, mode, is_snippet=False, read_one=self._read_one)
        folder.specs = {each.path.resolve() for each in files.values() if each.path and not each.is_page}
        pages = PageChecks(folder.gathered, folder.settings_of)
        for each, inputs in folder.gathered.files:
            if is_stale():
                return
            if each.path:
                yield (
                    each.path,
                    relocate_findings((*self._rechecks.check_file(each, inputs), *pages.check_file(each)), each),
                )

    def _read_one(
        self,
        named: NamedFile,
        config: Config,
        /,
        *,
        range_mode: RangeMode | None,
        site: Catalog | None,
        used_files: UsedFiles | None,
    ) -> list[Input]:
        """Return the texts of a file, which are not read again if nothing changed and they need no other file."""
        facts = named, config, range_mode
        former_facts, inputs = self._read.get(named.path, (None, []))
        if former_facts == facts:
            catalog = Catalog(site)
            for each in inputs:
                catalog.add_text(each.text)
            return [replace(each, catalog=catalog) for each in inputs]
        inputs = read_inputs(named, config, range_mode=range_mode, site=site, used_files=used_files)
        if named.text is not None and not any(each.text.files or each.text.findings for each in inputs):
            self._read[named.path] = facts, inputs
        return inputs

    def _with_text(self, named: NamedFile) -> NamedFile:
        """Return a file with its text: as open in the editor, or else as on the disk."""
        if named.path is None:
            return named
        return replace(named, text=self._open.get(named.path, self._disk.get(named.path)))

    def _folder_of(self, path: Path) -> _SearchedFolder | None:
        """Return the folder that a file is checked with; an excluded file or one outside is checked alone."""
        for folder in self._folders:
            if path in folder.files:
                return folder
        if path.suffix.lower() not in SUFFIXES or os.path.exists(path):
            return None
        return next((each for each in self._folders if each.path and path.is_relative_to(each.path)), None)

    def list_problems(self) -> tuple[str, ...]:
        """Return sentences about files that could not be checked."""
        every = chain.from_iterable((*each.problems, *each.gathered.problems) for each in self._folders)
        return tuple(dict.fromkeys(every))


def _read_configs(folders: Iterable[Path]) -> dict[Path, Config]:
    """Return the settings for texts of folders whose project has any; broken settings are ignored."""
    configs: dict[Path, Config] = {}
    for folder in folders:
        with suppress(SettingsError):
            config = load_settings(folder).config
            if config != Config():
                configs[folder] = config
    return configs


def _may_be_ours(path: Path) -> bool:
    """Return whether a new or removed file is one that a search of its folder finds."""
    return (
        is_spec_or_page(path) if path.exists() else path.suffix.lower() in SUFFIXES and kind_of(path) not in ALSO_OTHERS
    )


def _is_never_stale() -> bool:
    return False
