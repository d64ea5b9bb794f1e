"""Files that a build adds to a MkDocs site; one that the documentation has under the same path wins.

All but pages are on the disk when other plugins look at them, since many know files by nothing but their path.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

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
        self._folder: TemporaryDirectory[str] | None = None
        self.names: set[str] = set()
        """Their source paths."""

    def add(self, files: Files, src_uri: str, content: bytes | Path) -> bool:
        """Add a file, or give one that was added its content; whether the site has it from here.

        Parameters:
            files: Those of the site.
            src_uri: The path of the file, as if it were among the pages.
            content: What is in it, or the file that it is a copy of.
        """
        file = files.get_file_from_path(src_uri)
        if file is not None and src_uri not in self.names:
            return False
        self.names.add(src_uri)
        made = File.generated(self._config, src_uri, content="")
        if isinstance(content, Path) or not made.is_documentation_page():
            path = content if isinstance(content, Path) else self._written(src_uri, content)
            made = File.generated(self._config, src_uri, abs_src_path=str(path))
        elif file is not None:
            file.content_bytes = content
        else:
            made.content_bytes = content
        if file is None:
            files.append(made)
        return True

    def _written(self, src_uri: str, content: bytes) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="acdl-", ignore_cleanup_errors=True)
        path = Path(self._folder.name, src_uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def forget(self) -> None:
        """Remove what is on the disk for this build only."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
