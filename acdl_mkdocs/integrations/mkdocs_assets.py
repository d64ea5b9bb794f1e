"""Style sheet and scripts as files of a MkDocs site; a file that the documentation has under the same path wins."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
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
            files.append(File.generated(config, path, content=(ASSETS / name).read_bytes()))


@contextmanager
def writing(folder: str) -> Iterator[None]:
    """Let MkDocs end with a sentence where a file of the site cannot be written, or one for it cannot be read.

    Raises:
        PluginError: That is so; what is said names the file, or the folder where the system names none.
    """
    try:
        yield
    except OSError as reason:
        name, why = str(reason.filename or folder), (reason.strerror or str(reason)).lower()
        is_written = Path(name).absolute().is_relative_to(Path(folder).absolute())
        what, cure = (
            ("written", "free space, or make it writable")
            if is_written
            else ("read", "see that it is there and may be read")
        )
        raise PluginError(f"{name}: cannot be {what}: {why}; {cure}") from None
