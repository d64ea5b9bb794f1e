"""Files that a build adds to a MkDocs site; one that the documentation has under the same path wins.

They are on the disk when other plugins look at them, since many know a file by nothing but its path.
"""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.integrations.host import ASSETS

_FOLDER = "assets/acdl"
_EVERYWHERE = ("acdl.js", "acdl-gallery.js")
_LATER = ("acdl-playbook.js", "acdl-steps.js")
"""Scripts that `acdl.js` loads on pages that need them."""


def load_assets(config: MkDocsConfig, *, has_script: bool) -> None:
    """Let every page load them, unless the site has them already."""
    for name in ("acdl.css", *(_EVERYWHERE if has_script else ())):
        path = f"{_FOLDER}/{name}"
        values = config.extra_css if name.endswith(".css") else config.extra_javascript
        if path not in [str(value) for value in values]:
            values.insert(0, path)


def add_assets(files: Files, config: MkDocsConfig, *, has_script: bool) -> None:
    """Make them files of the site."""
    for name in ("acdl.css", *((*_EVERYWHERE, *_LATER) if has_script else ())):
        path = f"{_FOLDER}/{name}"
        if files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, abs_src_path=str(ASSETS / name)))


class MadeFiles:
    """The files of one build."""

    def __init__(self, config: MkDocsConfig) -> None:
        """Begin a build.

        Parameters:
            config: That of the site.
        """
        self._config = config
        self._folder: Path | None = None
        self._made: dict[str, File] = {}

    def has(self, file: File) -> bool:
        """Whether a file of the site is one of these, and not one that another plugin has put in its place."""
        return self._made.get(file.src_uri) is file

    def add(self, files: Files, src_uri: str, content: bytes | Path) -> bool:
        """Add a file, or give one that was added its content; whether the site has it from here.

        Parameters:
            files: Those of the site.
            src_uri: The path of the file, as if it were among the pages.
            content: What is in it, or the file that it is a copy of.
        """
        file = files.get_file_from_path(src_uri)
        if file is not None and not self.has(file):
            return False
        path = content if isinstance(content, Path) else self._written(src_uri, content)
        if file is None:
            file = File.generated(self._config, src_uri, abs_src_path=str(path))
            self._made[src_uri] = file
            files.append(file)
        file.abs_src_path = str(path)
        return True

    def withdraw(self, files: Files) -> None:
        """Take all of them out of the site again."""
        for file in filter(self.has, list(files)):
            files.remove(file)

    def _written(self, src_uri: str, content: bytes) -> Path:
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="acdl-"))
            finalize(self, rmtree, self._folder, ignore_errors=True)
        path = self._folder / src_uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path
