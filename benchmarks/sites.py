"""What blocks add to the build of a site: 1,000 of them on 100 pages, against the same site with plain fences."""

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, added_row, forget_cache, in_turn
from specs import renamed
from trees import on_cores

N_PAGES, N_BLOCKS, N_ROUNDS = 100, 10, 5
MOST_COLD_MS, MOST_AGAIN_MS = 2000, 300

_SETTINGS = """\
site_name: Benchmark
theme: {name: material, font: false}
plugins: [%s]
markdown_extensions: [admonition, pymdownx.superfences, pymdownx.highlight]
"""


def measure() -> list[Row]:
    """All rows of this part; the search plugin is told apart, since it reads every word of every figure."""
    return [*compare("search"), *compare("")]


def compare(plugins: str) -> list[Row]:
    """Build both sites in turn, on one core: cold, with nothing changed, and with plain fences; cold on two too."""
    build = (sys.executable, "-m", "mkdocs", "build", "--quiet")
    with TemporaryDirectory() as folder:
        figures, plain = Path(folder, "acdl"), Path(folder, "text")
        write_site(figures, "acdl", f"acdl, {plugins}")
        write_site(plain, "text", plugins)
        forget = partial(forget_cache, figures)
        two, cold, again, text = in_turn(
            N_ROUNDS,
            on_cores(2, *build, cwd=figures),
            on_cores(1, *build, cwd=figures),
            on_cores(1, *build, cwd=figures),
            on_cores(1, *build, cwd=plain),
            before=[forget, forget],
        )
    name, what = "the same with `text` fences", "1,000 blocks on 100 pages"
    note = f", {plugins}" if plugins else ", no search"
    return [
        added_row(f"{what}, cold, two cores{note}", two, f"{name}, one core", text, at_most_ms=MOST_COLD_MS),
        added_row(f"{what}, cold, one core{note}", cold, name, text, at_most_ms=MOST_COLD_MS),
        added_row(f"{what}, nothing changed, one core{note}", again, name, text, at_most_ms=MOST_AGAIN_MS),
    ]


def write_site(folder: Path, language: str, plugins: str, n_pages: int = N_PAGES) -> None:
    """A site whose blocks are all different; only their language, their number and the plugins depend on arguments."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(_SETTINGS % plugins, "utf-8")
    for page_idx in range(n_pages):
        blocks = [
            f"## Agent {number}\n\nSome words about it.\n\n```{language}\n{renamed(number)}```\n"
            for number in range(page_idx * N_BLOCKS, (page_idx + 1) * N_BLOCKS)
        ]
        name = "index" if page_idx == 0 else f"page-{page_idx:02}"
        (docs / f"{name}.md").write_text(f"# Page {page_idx}\n\n" + "\n".join(blocks), "utf-8")
