"""What a library costs: the page of a gallery, the pages of specs, and an edit while a site is previewed."""

import gzip
import logging
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, added_row, forget_cache, in_turn, ratio_row, run
from sites import write_site
from specs import renamed

N_SPECS, N_ROUNDS = 500, 3
MOST_KB, MOST_RATIO = 1000, 1.1
MOST_COLD_MS, MOST_AGAIN_MS = 10, 3
"""A page."""

SETTINGS = """\
site_name: Benchmark
theme: {name: material, font: false}
plugins: [search, %s]
markdown_extensions: [pymdownx.superfences, tables]
"""


def measure() -> list[Row]:
    """All rows of this part."""
    with TemporaryDirectory() as folder:
        return [*pages(Path(folder)), *edits(Path(folder))]


def pages(folder: Path) -> list[Row]:
    """A site of spec files with pages, against one with as many plain pages; and how heavy its gallery is.

    With 500 pages in the navigation, most of the time of both is that of the navigation, which is on every page.
    """
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    made, pages = folder / "made", folder / "pages"
    _write_specs(made, "{acdl: {specs: [specs], downloads: [acdl, svg, json]}}")
    _write_pages(pages)
    forget = partial(forget_cache, made)
    cold, warm, without = in_turn(
        N_ROUNDS,
        lambda: run(*build, cwd=str(made)),
        lambda: run(*build, cwd=str(made)),
        lambda: run(*build, cwd=str(pages)),
        before=[forget],
    )
    what, name = f"pages of {N_SPECS} spec files", f"{N_SPECS} pages with a `text` fence"
    raw = (made / "site" / "specs" / "index.html").read_bytes()
    sizes = {"raw": len(raw), "gzip": len(gzip.compress(raw, 6))}
    return [
        *(_size_row(f"gallery of {N_SPECS} specs, {form}", n_bytes) for form, n_bytes in sizes.items()),
        added_row(f"{what}, cold", cold, name, without, at_most_ms=MOST_COLD_MS * N_SPECS),
        added_row(f"{what}, nothing changed", warm, name, without, at_most_ms=MOST_AGAIN_MS * N_SPECS),
    ]


def edits(folder: Path) -> list[Row]:
    """Editing one of 1,000 blocks, and building again in the same process as a preview does."""
    figures, plain = folder / "figures", folder / "plain"
    write_site(figures, "acdl", "acdl, search")
    write_site(plain, "text", "search")
    mine, theirs = in_turn(N_ROUNDS + 2, _rebuild(figures), _rebuild(plain), before=[_edit(figures), _edit(plain)])
    what = "an edit of one of 1,000 blocks, built again in one process"
    return [ratio_row(what, mine, "the same with `text` fences", theirs, at_most=MOST_RATIO)]


def _write_specs(folder: Path, plugin: str) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "specs").mkdir()
    (folder / "mkdocs.yml").write_text(SETTINGS % plugin, "utf-8")
    (folder / "docs" / "index.md").write_text("# Home\n", "utf-8")
    for number in range(N_SPECS):
        text = f"// title: Agent {number}\n// tags: agent, group-{number % 20}\n{renamed(number)}"
        (folder / "specs" / f"agent-{number:03}.acdl").write_text(text, "utf-8")


def _write_pages(folder: Path) -> None:
    """As many pages, each with the text of a spec, where spec files would have theirs."""
    pages = folder / "docs" / "specs"
    pages.mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(SETTINGS.replace("search, %s", "search"), "utf-8")
    for name in (folder / "docs" / "index.md", pages / "index.md"):
        name.write_text("# Home\n", "utf-8")
    for number in range(N_SPECS):
        page = f"# Agent {number}\n\n```text\n{renamed(number)}```\n"
        (pages / f"agent-{number:03}.md").write_text(page, "utf-8")


def _rebuild(folder: Path) -> Callable[[], None]:
    """Builds the site as `mkdocs serve` does: the configuration is read again, plugins stay."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    logging.getLogger("mkdocs").setLevel(logging.ERROR)

    def rebuild() -> None:
        config = load_config(str(folder / "mkdocs.yml"), site_dir=str(folder / "out"))
        config.plugins.on_startup(command="serve", dirty=False)
        build(config)

    return rebuild


def _edit(folder: Path) -> Callable[[], None]:
    """Changes one block of one page, differently each time."""
    numbers = count()

    def edit() -> None:
        page = folder / "docs" / "page-50.md"
        lines = page.read_text("utf-8").split("\n")
        at = next(idx for idx, line in enumerate(lines) if line.startswith("```") and len(line) > len("```")) + 1
        lines[at] = f"{lines[at].partition('  // edit')[0]}  // edit {next(numbers)}"
        page.write_text("\n".join(lines), "utf-8")

    return edit


def _size_row(what: str, n_bytes: int) -> Row:
    value = n_bytes / 1000
    return Row(what, value, "kB", bar=f"<= {MOST_KB} kB", is_met=value <= MOST_KB)
