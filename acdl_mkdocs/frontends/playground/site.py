"""The files of a playground: the bundle, the facts about its site, and its examples."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path, PurePosixPath

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation.atomic import replace_below
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import leads_out
from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_acdl
from acdl_mkdocs.frontends.playground.bundle import AT_TOP, FRONT_END, LATER, Bundle
from acdl_mkdocs.frontends.playground.examples import ListedExample, files_of
from acdl_mkdocs.frontends.playground.previews import open_previews
from acdl_mkdocs.language.syntax.keywords import DOCUMENTED_WORDS
from acdl_mkdocs.language.syntax.tokens import ROLES

_WELCOME = FRONT_END / "welcome.acdl"
"""The text that a first visitor finds."""


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """The facts about the site that the page needs."""

    name: str = ""
    url: str = ""
    """The target of the link back, from the folder of the playground; empty for no link."""
    rule_url: str = ""
    """The address of the page of a rule, from the folder of the playground, with `{rule}` in place of its name."""


def site_files(bundle: Bundle, facts: SiteFacts, placed: Iterable[ListedExample]) -> Iterator[tuple[str, bytes | Path]]:
    """Yield every file by its path from the folder of the playground: its content, or the path of its content."""
    with open_previews(bundle) as render_preview:
        page = _fill_page(bundle, facts, render_preview)
        examples = files_of(placed, render_preview)
    for name in bundle.sizes:
        path = bundle.folder / PurePosixPath(name)
        if name == "index.html":
            yield name, page
        elif name in AT_TOP:
            yield name, path.read_bytes().replace(b"{{version}}", bundle.version.encode())
        else:
            yield f"{bundle.version}/{name}", path
    yield "manifest.json", _build_manifest(bundle, facts)
    yield from examples.items()


def _fill_page(bundle: Bundle, facts: SiteFacts, render_preview: Callable[[Example], str]) -> bytes:
    """Return the page with the text that a first visitor finds, and its figure: they are seen before all else loads."""
    text = _WELCOME.read_text("utf-8")
    values = {
        "assets": bundle.version,
        "version": bundle.version,
        "source": highlight_acdl(text),
        "figure": render_preview(Example("", text)),
        "site-name": escape(facts.name or "Documentation"),
        "weight": f"{bundle.transfer_bytes / 1e6:.1f} MB to load, once.",
        "title": escape(f"Playground - {facts.name}" if facts.name else "ACDL playground"),
    }
    page = (bundle.folder / "index.html").read_text("utf-8")
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda found: values[found[1]], page).encode()


def write_site(folder: Path, files: Iterable[tuple[str, bytes | Path]]) -> int:
    """Write the files to a folder, leaving identical ones untouched, and return how many changed.

    Raises:
        OSError: One of them cannot be written, or a link in the folder leads out of it.
    """
    n_written = 0
    for name, content in files:
        path = folder / PurePosixPath(name)
        new = content.read_bytes() if isinstance(content, Path) else content
        if path.is_file() and path.stat().st_size == len(new) and path.read_bytes() == new:
            continue
        replace_below(folder, path, new)
        n_written += 1
    return n_written


def list_former_files(folder: Path, version: str) -> tuple[Path, ...]:
    """Return the files of another version in a folder, according to its own list."""
    manifest = folder / "manifest.json"
    if leads_out(manifest, folder):
        return ()
    try:
        data = json.loads(manifest.read_text("utf-8"))
        former, names = str(data["version"]), [str(name) for name in (*data["files"], *data["later"])]
    except (OSError, ValueError, TypeError, LookupError):
        return ()
    if former == version or not re.fullmatch(r"[0-9a-f]+", former):
        return ()
    inside = (folder / PurePosixPath(name) for name in names if name.startswith(f"{former}/"))
    is_link = leads_out(folder / former, folder)
    return tuple(path for path in inside if not (is_link or leads_out(path, folder / former)))


def remove_files(paths: Iterable[Path], folder: Path) -> None:
    """Delete files, and their folders inside of another one if they become empty."""
    for path in paths:
        path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()


def _list_lasting_files(bundle: Bundle) -> Iterator[str]:
    """Yield the files of the version that are cached for offline use."""
    return (name for name in bundle.sizes if name not in AT_TOP and not name.endswith(LATER))


def _build_manifest(bundle: Bundle, facts: SiteFacts) -> bytes:
    """Return the facts that the page reads first."""
    data = {
        "version": bundle.version,
        "package": __version__,
        "site_name": facts.name,
        "site_url": facts.url,
        "rule_url": facts.rule_url,
        "transfer_bytes": bundle.transfer_bytes,
        "files": [
            "manifest.json",
            "examples.json",
            *(f"{bundle.version}/{name}" for name in _list_lasting_files(bundle)),
        ],
        "later": [f"{bundle.version}/{name}" for name in bundle.sizes if name.endswith(LATER)],
        "words": {"keywords": sorted(DOCUMENTED_WORDS), "roles": sorted(ROLES)},
    }
    return (json.dumps(data, ensure_ascii=False) + "\n").encode()
