"""Write the site of a row, build it and check what came out. Needs only PyYAML and the host.

Each check has a name, which `Row.known` and the results use; `CHECKS` says what each asks.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import yaml
from site_links import dead_links

HOME = """# Home

See [[acdl:Chat]], [[acdl:Chat#mark-1|the question]] and [[acdl:Filed]].

```acdl
Start[@T]: {
  S: { Frag Greeting[@T] }
  U: env.question[@T]
}
```
"""
AGENTS = """# Agents

See [[acdl:Start]].

```acdl
Chat[@T]: {
  S: { Frag Greeting[@T] }
  Mark 1 { U: env.question[@T] }
}
```

```acdl
StrFrag Greeting[@t]: { HELLO(env.name[@t]) }
```
"""
FILED = "// title: From a file\nFiled[@T]: {\n  S: RULES\n  U: env.question[@T]\n}\n"
BROKEN = "# Broken\n\n```acdl\nBroken[@T]: {\n  U: {\n    S: { NESTED }\n  }\n}\n```\n"

CONFIG: Mapping[str, object] = {
    "site_name": "Agents",
    "site_url": "https://example.org/",
    "theme": {"name": "material"},
    "markdown_extensions": [
        "attr_list",
        "admonition",
        "footnotes",
        "pymdownx.superfences",
        {"toc": {"permalink": True}},
    ],
    "validation": {"anchors": "warn", "nav": {"omitted_files": "ignore"}},
}
ACDL: Mapping[str, object] = {"acdl": {"specs": ["specs"], "downloads": ["acdl", "svg", "json"]}}


@dataclass(frozen=True)
class Row:
    """One docs tool, plugin or theme, or several that are used together."""

    name: str
    title: str
    """What it is called in the table, in Markdown."""
    how: str
    """What to do for it, in Markdown; for one that needs nothing, what works."""
    needs: tuple[str, ...]
    """The packages that are installed for it, by the names that they have in the index."""
    plugins: tuple[object, ...] = ("search", "acdl")
    """Those of MkDocs, in order, with their options; `acdl` alone has those of `ACDL`."""
    config: Mapping[str, object] = field(default_factory=dict)
    """What `mkdocs.yml` has beside `CONFIG`, or instead of it; `None` leaves something out."""
    config_file: str = "mkdocs.yml"
    """Where the configuration is; with an empty name, `files` has it."""
    files: Mapping[str, str | None] = field(default_factory=dict)
    """Files beside the pages `docs/index.md` and `docs/agents.md` and the spec `specs/filed.acdl`, or in place of them;
    `None` leaves one out."""
    append: Mapping[str, str] = field(default_factory=dict)
    """Paragraphs at the end of those pages."""
    figures: Mapping[str, int] = field(default_factory=dict)
    """How many figures pages of the site have, beside those of every site."""
    command: tuple[str, ...] = ("mkdocs", "build", "--strict", "--clean")
    """The module that builds the site, run by Python in its folder, and its arguments."""
    before: tuple[tuple[str, ...], ...] = ()
    """Commands that are run first, in the folder."""
    out: str = "site"
    """The folder of the finished site."""
    docs: str = "docs"
    """The folder of the pages, from that of the project."""
    project: str = "."
    """The project's folder: names of files begin there, and `acdl check` is run in it."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """A page that holds the block of `BROKEN`, which the site has for the last checks; by default `docs/broken.md`."""
    checked: tuple[str, ...] = ("docs", "specs")
    """What `acdl check` is given."""
    pdf: str = ""
    """The PDF of the whole site, from `out`, if the host writes one; `pypdf` reads it."""
    in_tests: bool = False
    """Whether `make test` builds it too, where its packages are installed: so that it is quick, a row that nothing else
    would notice."""
    known: Mapping[str, str] = field(default_factory=dict)
    """The checks that fail, with the reason, in Markdown: the table tells it."""


_N_REFERENCES = 3
"""So many are on every home page, at least."""
_IN_FIGURES = ("Start[@T]:", "Chat[@T]:", "ROLE:SYSTEM", "ROLE:USER", "env.question[@T]", "HELLO(env.name[@t])")
"""Words of the figures of every site, as they are in no other text, without blanks."""
COMMON: Mapping[str, int] = {"index.html": 1, "agents/index.html": 2, "specs/Filed/index.html": 1}
"""How many figures the pages of every site have."""
CHECKS: Mapping[str, str] = {
    "builds": "a strict build succeeds",
    "figures": "every page has all its figures",
    "references": "every reference is a link",
    "links": "the site has no dead links",
    "ids": "the ids of figures are unique on each page",
    "pdf": "if the tool writes a PDF, it has all figures, with their text",
    "names": "a screen reader reads the right name and description of each figure",
    "errors": "a strict build fails on a broken block, and reports it once, with file and line",
    "agrees": "`acdl check` reports the same place, and no problems if all blocks are right",
}


def missing(row: Row) -> list[str]:
    """The packages of a row that are not installed."""
    return [name for name in row.needs if _version(name) is None]


def versions(row: Row) -> dict[str, str]:
    """The versions of the packages of a row."""
    return {name: found for name in row.needs if (found := _version(name))}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def write(row: Row, root: Path) -> None:
    """Write the site of a row into an empty folder."""
    pages = {f"{row.docs}/index.md": HOME, f"{row.docs}/agents.md": AGENTS, "specs/filed.acdl": FILED}
    more = {name: f"\n{text}" for name, text in row.append.items()}
    common = {(Path(row.project) / name).as_posix(): text + more.get(name, "") for name, text in pages.items()}
    files: dict[str, str | None] = {**common, **row.files}
    if row.config_file:
        plugins = [ACDL if each == "acdl" else each for each in row.plugins]
        config = {**CONFIG, "plugins": plugins, **row.config}
        files[row.config_file] = yaml.safe_dump({k: v for k, v in config.items() if v is not None}, sort_keys=False)
    for name, text in files.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def run(root: Path, *words: str) -> tuple[int, str]:
    """Run a Python module in the folder of a site; its status and all that it says."""
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "NO_COLOR": "1", "COLUMNS": "500"}
    environment = {**os.environ, **quiet}
    ran = subprocess.run(
        [sys.executable, "-m", *words], cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    return ran.returncode, ran.stdout + ran.stderr


def check(row: Row, root: Path, *, is_thorough: bool = True) -> dict[str, str]:
    """Build the site of a row in an empty folder; the names of the checks that fail, with what was found.

    Parameters:
        row: The row.
        root: The folder.
        is_thorough: Whether the sound site is built too; else the one with a broken block is looked at instead.
    """
    write(row, root)
    for words in row.before:
        subprocess.run(words, cwd=root, check=True, capture_output=True)
    failed: dict[str, str] = {}
    if is_thorough:
        status, said = run(root, *row.command)
        if status:
            failed["builds"] = said.strip()
        status, said = run(root / row.project, "acdl_mkdocs", "check", *row.checked)
        if status:
            failed["agrees"] = said.strip()
        failed |= _look(row, root)
    place = _break(row, root)
    status, said = run(root, *row.command)
    if not status or said.count(place) != 1 or len(_problems(said)) != 1:
        failed["errors"] = f"status {status}, {place} is expected once:\n{said.strip()}"
    if not is_thorough:
        failed |= _look(row, root)
    status, said = run(root / row.project, "acdl_mkdocs", "check", *row.checked)
    if status != 1 or said.count(f"--> {place}") != 1:
        failed["agrees"] = f"{failed.get('agrees', '')}\n{said}".strip()
    return failed


def _look(row: Row, root: Path) -> dict[str, str]:
    """Look at the finished site."""
    looks: dict[str, Callable[[Path], Iterator[str]]] = {
        "figures": partial(_figures, row),
        "pdf": partial(_pdf, row),
        **_LOOKS,
    }
    found = {name: "\n".join(looked(root / row.out)) for name, looked in looks.items()}
    return {name: words for name, words in found.items() if words}


def _break(row: Row, root: Path) -> str:
    """Write the page with a broken block; the beginning of the line that reports it."""
    name = (Path(row.project) / row.docs / "broken.md").as_posix()
    name, text = next(iter(row.broken.items()), (name, BROKEN))
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    lines = text.split("\n")
    (at,) = (number for number, line in enumerate(lines, 1) if line.strip().startswith("S: { NESTED"))
    return f"{Path(name).relative_to(row.project).as_posix()}:{at}:{lines[at - 1].index('S:') + 1}"


def _problems(said: str) -> list[str]:
    """The lines in which the package reports a problem."""
    return re.findall(r"\S+: (?:error|warning)\[[a-z-]+\]", said)


class _Seen(HTMLParser):
    """What a page has of ours, whatever its host has done to the markup."""

    def __init__(self) -> None:
        super().__init__()
        self.n_figures = self.n_references = 0
        self.n_broken = 0
        self.ids: Counter[str] = Counter()
        self.own_ids: set[str] = set()
        self.drawings: list[dict[str, str | None]] = []
        """The attributes of each drawing, with the ids of its title and its description under those names."""
        self.words: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        self.n_figures += tag == "figure" and "acdl" in classes
        self.n_references += tag == "a" and "acdl-reference" in classes
        self.n_broken += "acdl-broken-reference" in classes
        if tag == "svg" and "acdl-svg" in classes:
            self.drawings.append(given)
        if tag in ("title", "desc") and "svg" in self._open and self.drawings:
            self.drawings[-1].setdefault(tag, given.get("id") or "")
        if given.get("id"):
            self.ids[str(given["id"])] += 1
            if "figure" in self._open or tag == "figure":
                self.own_ids.add(str(given["id"]))
        if tag in ("svg", "figure", "pre", "code"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not {"pre", "code"} & set(self._open):
            self.words.append(data)


def _pages(site: Path) -> Iterator[tuple[str, _Seen]]:
    for path in sorted(site.rglob("*.html")):
        seen = _Seen()
        seen.feed(path.read_text("utf-8"))
        yield path.relative_to(site).as_posix(), seen


def _figures(row: Row, site: Path) -> Iterator[str]:
    pages = dict(_pages(site))
    for name, number in {**COMMON, **row.figures}.items():
        found = pages[name].n_figures if name in pages else None
        is_right = found == number or (found and found > number and "Broken" in pages[name].words)
        if number and not is_right:
            yield f"{name}: {number} expected, {found} found"


def _pdf(row: Row, site: Path) -> Iterator[str]:
    if row.pdf:
        from pypdf import PdfReader  # installed for the rows that write a PDF

        words = "".join("".join(page.extract_text() for page in PdfReader(site / row.pdf).pages).split())
        yield from (f"`{each}` is not in the PDF" for each in _IN_FIGURES if each not in words)


def _references(site: Path) -> Iterator[str]:
    for name, seen in _pages(site):
        if seen.n_broken or "[[acdl:" in "".join(seen.words):
            yield f"{name}: a reference is not a link"
        if name == "index.html" and seen.n_references < _N_REFERENCES:
            yield f"{name}: {_N_REFERENCES} references expected, {seen.n_references} found"


def _links(site: Path) -> Iterator[str]:
    yield from (
        dead_links(site) if any(path.name != "404.html" for path in site.rglob("*.html")) else ["there is no page"]
    )


def _ids(site: Path) -> Iterator[str]:
    for name, seen in _pages(site):
        yield from (f"{name}: {each}" for each in sorted(seen.own_ids) if seen.ids[each] > 1)


def _names(site: Path) -> Iterator[str]:
    """Labels of a drawing are found by id on the whole page: they have to be its own."""
    for name, seen in _pages(site):
        for drawing in seen.drawings:
            for kind, attribute in (("title", "aria-labelledby"), ("desc", "aria-describedby")):
                if drawing.get(attribute, drawing.get(kind)) != drawing.get(kind, "missing"):
                    yield f"{name}: {attribute} is {drawing.get(attribute)}, {kind} is {drawing.get(kind)}"


_LOOKS: Mapping[str, Callable[[Path], Iterator[str]]] = {
    "references": _references,
    "links": _links,
    "ids": _ids,
    "names": _names,
}
