"""The style sheets and scripts of a site: a page loads those that it uses.

The site has the whole style sheet too, for pages that templates and other plugins make, and for those between which
readers go without loading them.
"""

import atexit
import re
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.frontends.docs.markdown.host import ASSETS, LATER_SCRIPTS

_FOLDER = "assets/acdl"
_STYLES = "acdl.css"
_SCRIPTS = ("acdl.js", "acdl-gallery.js")
_LINK = re.compile(r'<link\b[^<>]*/acdl\.css"[^<>]*>')
_GALLERY_SCRIPT_NAME = '/acdl-gallery.js"'
_GALLERY_SCRIPT = re.compile(rf"<script\b[^<>]*{re.escape(_GALLERY_SCRIPT_NAME)}[^<>]*></script>")
_IF_SCRIPT = ":root[data-acdl-script] "
"""What rules begin with that are only for pages with the script; when it comes, browsers style the whole page again."""
_PART = re.compile(r"/\* part: (\w+) \*/")
PARTS = {
    "runs": ("acdl-verified", "data-acdl-margin"),
    "gallery": ('class="acdl-gallery',),
    "spec": ("acdl-facts", "acdl-reads", "acdl-entries", "acdl-downloads", "acdl-family"),
    "compare": ("acdl-diff", "acdl-variants", "acdl-half", "acdl-column"),
    "sent": ("acdl-evaluated", "acdl-sent", "acdl-pml", "acdl-inspect"),
    "playbook": ("acdl-playbook",),
    "tools": ("acdl-tool", "acdl-call"),
}
"""The parts of the style sheet after that of figures, each with the words of which every page that uses it has one."""
_STEM = "acdl-"
"""What all these words contain. A search begins with it: Python finds that without trying a pattern at each character.
"""
_PART_OF = {word[word.index(_STEM) :]: part for part, words in PARTS.items() for word in words}


def _pattern_behind_stem(word: str) -> str:
    before, _, behind = word.partition(_STEM)
    return (f"(?<={re.escape(before + _STEM)})" if before else "") + re.escape(behind)


_USED = re.compile(f"{_STEM}(?:{'|'.join(_pattern_behind_stem(word) for words in PARTS.values() for word in words)})")


def load_assets(config: MkDocsConfig, *, has_script: bool) -> None:
    """Make every page load the assets, unless the site has them already."""
    for name in (_STYLES, *(_SCRIPTS if has_script else ())):
        path = f"{_FOLDER}/{name}"
        values = config.extra_css if name == _STYLES else config.extra_javascript
        if path not in [str(value) for value in values]:
            values.insert(0, path)


def add_assets(files: Files, config: MkDocsConfig, *, has_script: bool) -> bool:
    """Add the assets to the files of the site; return True if its pages can load parts of the style sheet."""
    present = files.get_file_from_path(f"{_FOLDER}/{_STYLES}")
    is_ours = present is None or present.generated_by == "acdl"
    has_parts = is_ours and "navigation.instant" not in (config.theme.get("features") or ())
    names = [_STYLES, *((*_SCRIPTS, *LATER_SCRIPTS) if has_script else ())]
    if has_parts:
        names += map(_name_part, ("figure", *PARTS))
    folder = _write_compact(has_script=has_script)
    for name in names:
        path = f"{_FOLDER}/{name}"
        if files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, abs_src_path=str(folder / name)))
    return has_parts


@cache
def _write_compact(*, has_script: bool) -> Path:
    """Return a folder with all files, compact, until the process ends: other plugins expect files on the disk.

    Rules for pages with the script need not wait for it where all pages have it.
    """
    folder = Path(mkdtemp(prefix="acdl-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    contents = {name: _compact((ASSETS / name).read_text("utf-8")) for name in (_STYLES, *_SCRIPTS, *LATER_SCRIPTS)}
    contents |= {_name_part(part): text for part, text in read_styles().items()}
    for name, content in contents.items():
        text = content.replace(_IF_SCRIPT, "") if has_script else content
        (folder / name).write_text(text, "utf-8", newline="\n")
    return folder


def _name_part(part: str) -> str:
    return f"acdl-{part}.css"


def read_styles() -> dict[str, str]:
    """Return the parts of the style sheet by their names, in its order; the first is that of figures."""
    first, *others = _PART.split((ASSETS / _STYLES).read_text("utf-8"))
    parts = {"figure": first, **dict(zip(others[::2], others[1::2], strict=True))}
    return {name: _compact(text) for name, text in parts.items()}


def load_parts(output: str) -> str:
    """Replace the style sheet of a page by the parts of it that the page uses; leave out the script of galleries."""
    link = _LINK.search(output)
    if not link:
        return output
    found = {_PART_OF[word] for word in set(_USED.findall(output))}
    used = ["figure", *(part for part in PARTS if part in found)]
    links = "\n".join(link[0].replace("/acdl.css", f"/{_name_part(part)}") for part in used)
    output = f"{output[: link.start()]}{links}{output[link.end() :]}"
    return output if "gallery" in used else _remove_gallery_script(output)


def _remove_gallery_script(output: str) -> str:
    """Remove the script of galleries; a pattern alone would be tried at each of the other scripts."""
    named = output.rfind(_GALLERY_SCRIPT_NAME)  # a text may mention it
    script = _GALLERY_SCRIPT.match(output, output.rfind("<script", 0, named)) if named >= 0 else None
    return f"{output[: script.start()]}{output[script.end() :]}" if script else output


def _compact(text: str) -> str:
    """Return a style sheet or script without comments and indentation."""
    first, *others = text.split("/*")
    uncommented = "".join([first, *(each.partition("*/")[2] for each in others)])
    lines = map(str.strip, uncommented.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))
