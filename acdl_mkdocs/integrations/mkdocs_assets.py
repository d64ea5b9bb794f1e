"""Style sheet and scripts as files of a MkDocs site; a file that the documentation has under the same path wins."""

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
            files.append(File.generated(config, path, content=(ASSETS / name).read_bytes()))
