"""The places of a MkDocs site: addresses as links of a page, and the files of pages."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.project import project_of, root_of_site


def from_page(address: str, page: Page, config: MkDocsConfig) -> str:
    """Return an address as a link of a page: one without a host starts from the home page.

    A page that has its own folder in one site is a file of that name in another: `rules/{rule}.html`.
    """
    if not address or "://" in address or address[0] == "/":
        return address
    path, *rest = re.split(r"(?=[?#])", address, maxsplit=1)
    if path.endswith("/") and not config.use_directory_urls:
        path = f"{path.rstrip('/')}.html"
    return get_relative_url("".join([path, *rest]), page.url)


@dataclass(frozen=True, slots=True)
class EditedSources:
    """The source files of pages, which may be copies of them."""

    root: Path
    """The project's folder."""
    copied: tuple[tuple[str, Path], ...] = ()
    """Folders that a plugin has copied together: where each is now, relative to that of all pages, and where it was."""

    def path_of(self, file: File) -> Path | None:
        """Return the source file of a page; nothing if it is generated from something that is not a page."""
        if file.abs_src_path is None or file.generated_by == "acdl" or not os.path.isfile(file.abs_src_path):
            return None
        return next(filter(os.path.isfile, self._list_originals(file)), Path(file.abs_src_path))

    def _list_originals(self, file: File) -> Iterator[Path]:
        for folder, source in self.copied:
            if not folder or file.src_uri.startswith(f"{folder}/"):
                yield source / file.src_uri.removeprefix(folder).lstrip("/")

    def name_of(self, file: File, path: Path | None) -> str:
        """Return the display name of the file of a page."""
        name = Path(os.path.relpath(path, self.root)).as_posix() if path else "../"
        return file.src_uri if name.startswith("../") else name

    def root_of(self, path: Path | None) -> Path:
        """Return the folder that paths of a page are relative to: for a copied page, that of its own project."""
        is_other = path and any(folder and path.is_relative_to(source) for folder, source in self.copied)
        return project_of(path, self.root) if path and is_other else self.root


def find_sources(config: MkDocsConfig, root: Path) -> EditedSources:
    """Return the source files of a site.

    Parameters:
        config: The configuration of the site.
        root: The project's folder.
    """
    merger = getattr(config.plugins.get("monorepo"), "merger", None)
    folders = [(str(alias), Path(source)) for alias, source in getattr(merger, "docs_dirs", ())]
    return EditedSources(root, tuple(sorted(folders, key=lambda each: -len(each[0]))))


def project_folder(config: MkDocsConfig, docs: Path, named_folder: Path | None) -> Path:
    """Return the project folder of a site.

    Parameters:
        config: The configuration of the site.
        docs: The folder of its pages, before other plugins replace it.
        named_folder: The folder in the options, relative to that of the configuration.
    """
    folder = Path(config.config_file_path).resolve().parent if config.config_file_path else Path.cwd()
    if named_folder is not None:
        return (folder / named_folder).resolve()
    return root_of_site(folder, docs)


class GeneratedFiles:
    """The generated files of one build."""

    def __init__(self, config: MkDocsConfig) -> None:
        """Begin a build.

        Parameters:
            config: The configuration of the site.
        """
        self._config = config
        self._folder: Path | None = None
        self._generated: dict[str, File] = {}

    def has_file(self, file: File) -> bool:
        """Return whether a file of the site is generated here, and not replaced by another plugin."""
        return self._generated.get(file.src_uri) is file

    def add_file(self, files: Files, src_uri: str, content: bytes | Path) -> bool:
        """Add a file, or set the content of an added one; return True if the site has it from here.

        Parameters:
            files: Those of the site.
            src_uri: The path of the file, as if it were among the pages.
            content: Its content, or the file to copy.
        """
        file = files.get_file_from_path(src_uri)
        if file is not None and not self.has_file(file):
            return False
        path = content if isinstance(content, Path) else self._write_temporary(src_uri, content)
        if file is None:
            file = File.generated(self._config, src_uri, abs_src_path=str(path))
            self._generated[src_uri] = file
            files.append(file)
        file.abs_src_path = str(path)
        return True

    def remove_files(self, files: Files) -> None:
        """Remove all of them from the site."""
        for file in filter(self.has_file, list(files)):
            files.remove(file)

    def _write_temporary(self, src_uri: str, content: bytes) -> Path:
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="acdl-"))
            finalize(self, rmtree, self._folder, ignore_errors=True)
        path = self._folder / src_uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path
