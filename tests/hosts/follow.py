"""Follow the pages about docs tools word by word, as a stranger would: `make hosts-followed`.

Each host gets an empty folder and a fresh virtual environment. The blocks of its pages are taken in their order: one
whose title is the name of a file becomes that file, a shell block is run. Nothing else is known but which sections
are followed, and what has to come out. One line is not taken literally: an index has this package only after a
release, so pip is given the wheel of this tree. Prints a table, and keeps what came out in `follow.json`, from which
the documentation has it. With names of hosts, only those are followed.

Needs pip, npm and an index for each; everything is installed in `build/hosts-followed`.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parent.parent))

from acdl_mkdocs.workspace.fences import Fence, scan_fences
from hosts.embedded import CMARK, NODE, Page, markdown_page
from hosts.embedded import HOSTS as EMBEDDED
from hosts.sites import BROKEN

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "hosts-followed"
RESULTS = Path(__file__).with_suffix(".json")
COLUMNS: Mapping[str, str] = {"figure": "figure", "reference": "reference", "strict": "strict build", "pdf": "PDF"}
"""Checks that the table shows, and their headings."""
CHECKS: Mapping[str, str] = {
    "steps": "every command of the page succeeds",
    "figure": "the built page has the figure",
    "reference": "a link on the page leads to the figure, or to its heading if the figure is an image",
    "strict": "on a broken block, the build or the `acdl` command before it fails and prints file, line and column",
    "pdf": "the PDF has the figure, and its text can be searched",
}
_WRITE = "get-started.md#Write"
_PDF = "write/pictures.md#Figures of a page"
_EMBED = "tools/embed.md#GitHub, Docusaurus, Hugo and others"
_HEADING = re.compile(r"#+ (?P<words>.*?)(?: \{[^}]*\})?$")
_TAB = re.compile(r' *=== "(?P<label>[^"]*)"')
_TITLE = re.compile(r'\btitle="(?P<file>[^"]*[./][^"]*)"')
_SERVES = re.compile(r"\w+ serve\b")
_ADDRESS = re.compile(r"http://[\w.]+:\d+\S*")


@dataclass(frozen=True)
class Host:
    """A docs tool: where its reader is told what to do, and what has to come out."""

    title: str
    """What it is called in the table, in Markdown."""
    sections: tuple[str, ...]
    """What its reader follows, in order: pages of the documentation, each with a heading."""
    packages: tuple[str, ...]
    """Those whose versions are kept, by the names that pip or npm has."""
    built: str
    """The page that is built."""
    strict: str
    """The command, one of those, that fails on a broken block."""
    page: str = "docs/index.md"
    """The page, one of those files, that gets the broken block; of another name, a file of its own."""
    pdf: str = "figures/*.pdf"
    """The PDF; also a pattern."""
    target: str = "Chat"
    """The id that a link leads to."""
    is_anchored_later: bool = False
    """Whether a service makes that id, which is not there yet."""
    tab: str = ""
    """Which alternative is followed where a page has tabs."""
    cells: str = ""
    """The notebook whose cells Python blocks without a title are."""
    before: str = ""
    """What its reader has already: a command that installs it."""
    afterwards: str = ""
    """What is done by a service, or in a window: a command that does the same."""


_NODE = f'npm install --silent --global --prefix "$VIRTUAL_ENV" {NODE}'
_PANDOC = (
    f"pip install --quiet {EMBEDDED['quarto'].python[0]}; "
    'ln -s "$(python -c "import pypandoc; print(pypandoc.get_pandoc_path())")" "$VIRTUAL_ENV/bin/pandoc"'
)
HOSTS: Mapping[str, Host] = {
    "get-started": Host(
        "[Material for MkDocs](../get-started.md)",
        (*(f"get-started.md#{each}" for each in ("Install", "Configure", "Write", "Preview", "Check")), _PDF),
        ("mkdocs-material", "mkdocs"),
        "site/index.html",
        "mkdocs build --strict",
    ),
    "mkdocs": Host(
        "[MkDocs](mkdocs.md), its own theme",
        ("tools/mkdocs.md#MkDocs", _WRITE, "tools/mkdocs.md#Strict builds", _PDF),
        ("mkdocs",),
        "site/index.html",
        "mkdocs build --strict",
    ),
    "properdocs": Host(
        "[ProperDocs](properdocs.md)",
        (_WRITE, "tools/properdocs.md#ProperDocs", _PDF),
        ("properdocs",),
        "site/index.html",
        "properdocs build --strict",
    ),
    "zensical": Host(
        "[Zensical](zensical.md), extension",
        ("tools/zensical.md#Zensical", _WRITE, "tools/zensical.md#As an extension", "tools/zensical.md#Checking", _PDF),
        ("zensical",),
        "site/index.html",
        "zensical build --clean --strict",
        tab="zensical.toml",
    ),
    "sphinx": Host(
        "[Sphinx](sphinx.md) with MyST and furo",
        (_WRITE, *(f"tools/sphinx.md#{each}" for each in ("Sphinx", "Strict builds", "Builders"))),
        ("sphinx", "myst-parser", "furo"),
        "out/index.html",
        "sphinx-build -W --keep-going docs out",
        pdf="latex/*.pdf",
    ),
    "python-markdown": Host(
        "[Python-Markdown](python-markdown.md)",
        (_WRITE, "tools/python-markdown.md#Python-Markdown", "tools/python-markdown.md#Problems", _PDF),
        ("Markdown",),
        "index.html",
        "acdl check --strict docs",
    ),
    "notebook": Host(
        "[Jupyter notebook](from-python.md)",
        ("tools/from-python.md#In a notebook", "tools/from-python.md#As a gate"),
        ("notebook",),
        "chat.html",
        "python gate.py",
        page="broken.acdl",
        pdf="chat.pdf",
        target="Greeting",
        cells="chat.ipynb",
        afterwards="jupyter nbconvert --execute --to html chat.ipynb",
    ),
    "github": Host(
        "[GitHub](embed.md#github) (its parser of Markdown)",
        (_EMBED,),
        ("cmarkgfm",),
        "README.html",
        "acdl embed README.md",
        page="README.md",
        target="the-agent",
        is_anchored_later=True,
        afterwards=f'pip install --quiet {EMBEDDED["github"].python[0]}; python -c "{CMARK}"',
    ),
    "docusaurus": Host(
        "[Docusaurus](embed.md#docusaurus)",
        (_EMBED, "tools/embed.md#Docusaurus"),
        ("@docusaurus/core",),
        "build/index.html",
        "acdl embed docs",
        page="docs/agents.md",
        before=_NODE,
        target="the-chat",
    ),
    "starlight": Host(
        "[Astro Starlight](embed.md#starlight)",
        (_EMBED, "tools/embed.md#Astro Starlight"),
        ("astro", "@astrojs/starlight"),
        "dist/index.html",
        "acdl embed src/content/docs",
        page="src/content/docs/index.md",
        before=_NODE,
        target="the-chat",
    ),
    "hugo": Host(
        "[Hugo](embed.md#hugo)",
        (_EMBED, "tools/embed.md#Hugo"),
        ("hugo",),
        "public/agents/index.html",
        "acdl embed content",
        page="content/agents/index.md",
        target="the-chat",
    ),
    "pandoc": Host(
        "[Pandoc](embed.md#quarto), which reads pages of Quarto",
        (_EMBED, "tools/embed.md#Quarto"),
        ("pypandoc-binary",),
        "agents.html",
        "acdl embed agents.qmd",
        page="agents.qmd",
        before=_PANDOC,
        target="the-chat",
    ),
    "jupyter-book": Host(
        "[Jupyter Book 2](embed.md#jupyter-book), exports",
        (_EMBED, "tools/embed.md#Jupyter Book 2"),
        ("jupyter-book",),
        "out/agents.md",
        "acdl embed agents.md",
        page="agents.md",
        target="the-chat",
    ),
}


@dataclass(frozen=True)
class Block:
    """A block of a page that its reader does something with."""

    page: str
    fence: Fence
    section: str
    tab: str

    @property
    def place(self) -> str:
        """The page and the line."""
        return f"site_src/{self.page}:{self.fence.first + 1}"

    @property
    def file(self) -> str:
        """The file that the block is; empty for others."""
        found = _TITLE.search(self.fence.header)
        return found["file"] if found else ""

    @property
    def commands(self) -> tuple[str, ...]:
        """The lines of a shell block; none for others."""
        return tuple(self.fence.text.splitlines()) if self.fence.language == "sh" else ()


def blocks_of(page: str) -> Iterator[Block]:
    """All blocks of a page, with their nearest heading and the label of their tab."""
    lines = (ROOT / "site_src" / page).read_text("utf-8").split("\n")
    section = tab = ""
    at = 0
    for fence in scan_fences(lines):
        for line in lines[at : fence.first]:
            if heading := _HEADING.match(line):
                section = heading["words"]
            if label := _TAB.match(line):
                tab = label["label"]
            elif line and not line.startswith(" "):
                tab = ""
        at = fence.end
        yield Block(page, fence, section, tab if fence.prefix.strip(" ") == "" and fence.prefix else "")


def steps(host: Host) -> list[Block]:
    """What a reader of a host does, in order: files, shell blocks and cells.

    Raises:
        ValueError: If a section has no such block.
    """
    found: list[Block] = []
    for each in host.sections:
        page, _, section = each.partition("#")
        here = [block for block in blocks_of(page) if block.section == section and block.tab in ("", host.tab)]
        here = [block for block in here if block.file or block.commands or (host.cells and _is_cell(block))]
        if not here:
            raise ValueError(f"{page}: the section `{section}` has nothing to follow")
        found += here
    return found


def _is_cell(block: Block) -> bool:
    return block.fence.language == "python" and not block.file


def main(names: Sequence[str]) -> int:
    """Follow what is asked for; 1 if anything is not as it has to be."""
    wheel = build_wheel()
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    is_right = True
    for name in names or HOSTS:
        host, place = HOSTS[name], prepare(name, wheel)
        failed = follow(host, place)
        results[name] = {"versions": versions(host, place), "failed": sorted(failed)}
        kept = {each: results[each] for each in HOSTS if each in results}
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
        sys.stdout.write(f"{name:16} {'; '.join(f'{each}: {words}' for each, words in failed.items()) or 'works'}\n")
        sys.stdout.flush()
        is_right = is_right and not failed
    return int(not is_right)


def build_wheel() -> Path:
    """The wheel of this tree."""
    folder = FOLDER / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel.rename(wheel.with_name(wheel.name.replace("-py3-", "-1-py3-")))  # wins over a release of this version


@dataclass(frozen=True)
class Place:
    """Where a stranger works."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, command: str) -> tuple[int, str]:
        """Run a command, as in a terminal; its status and all that it prints."""
        words = ["bash", "-e", "-c", command]
        ran = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr


def prepare(name: str, wheel: Path) -> Place:
    """Make an empty folder and a fresh environment."""
    folder, venv = FOLDER / name, FOLDER / f"{name}-venv"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ACDL_"))}
    return Place(
        folder,
        {
            **inherited,
            "VIRTUAL_ENV": str(venv),
            "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PIP_FIND_LINKS": f"{os.environ.get('PIP_FIND_LINKS', '')} {wheel.parent}",
            "PIP_PREFER_BINARY": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "NO_COLOR": "1",
            "COLUMNS": "500",
            "ASTRO_TELEMETRY_DISABLED": "1",
        },
    )


def versions(host: Host, place: Place) -> dict[str, str]:
    """The versions that the stranger got."""
    found: dict[str, str] = {}
    for name in host.packages:
        package = place.folder / "node_modules" / name / "package.json"
        if package.exists():
            found[name] = json.loads(package.read_text("utf-8"))["version"]
        else:
            code = f"import importlib.metadata as m; print(m.version('{name}'))"
            status, said = place.run(f'python -c "{code}"')
            found[name] = said.strip() if not status else "not installed"
    return found


def follow(host: Host, place: Place) -> dict[str, str]:
    """Do what the pages say, in order; the checks that fail, with what was found."""
    try:
        _do(host, place)
    except _StepError as stopped:
        return {"steps": str(stopped)}
    looks = {"figure": _figure, "reference": _reference, "pdf": _pdf, "strict": _strict}
    failed = {check: look(host, place) for check, look in looks.items()}
    return {check: words for check, words in failed.items() if words}


class _StepError(Exception):
    """A page cannot be followed."""


def _do(host: Host, place: Place) -> None:
    _must(place, host.before or "true", "beforehand")
    cells: list[str] = []
    for step in steps(host):
        if step.file:
            path = place.folder / step.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.fence.text, "utf-8")
        elif step.commands:
            for command in step.commands:
                (_serve if _SERVES.match(command) else _must)(place, command, step.place)
        else:
            cells.append(step.fence.text)
    if cells:
        (place.folder / host.cells).write_text(_notebook(cells), "utf-8")
    _must(place, host.afterwards or "true", "afterwards")


def _must(place: Place, command: str, step: str) -> None:
    status, said = place.run(command)
    if status:
        raise _StepError(f"{step}: `{command}` fails with status {status}:\n{said.strip()}")


def _serve(place: Place, command: str, step: str) -> None:
    """Start a preview, look at its page, end it."""
    server = subprocess.Popen(
        ["bash", "-c", f"exec {command} 2>&1"],
        cwd=place.folder,
        env=place.environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout
    said = ""
    try:
        for line in server.stdout:
            said += line
            if found := _ADDRESS.search(line):
                with urlopen(found[0]) as answer:  # noqa: S310 - the address is that of the preview
                    if "acdl-svg" in answer.read().decode():
                        return
                break
        raise _StepError(f"{step}: `{command}` shows no figure:\n{said.strip()}")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _notebook(cells: Sequence[str]) -> str:
    code: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [{**code, "id": f"cell-{number}", "source": source} for number, source in enumerate(cells)]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _page(host: Host, place: Place) -> Page:
    path = place.folder / host.built
    return markdown_page(path) if path.suffix == ".md" else Page(path.read_text("utf-8"))


def _figure(host: Host, place: Place) -> str:
    page = _page(host, place)
    n_drawn = page.classes.count("acdl-svg")
    images = [address for address, words in page.images if "is a chat prompt" in words]
    if "acdl-problem" in page.classes or not (n_drawn or images):
        return f"{host.built} has {n_drawn} drawings and the images {images}"
    return ""


def _reference(host: Host, place: Place) -> str:
    page = _page(host, place)
    if not any(link.endswith(f"#{host.target}") for link in page.links):
        return f"{host.built}: no link leads to `{host.target}`, only {page.links}"
    return "" if host.target in page.ids or host.is_anchored_later else f"{host.built} has no id `{host.target}`"


def _pdf(host: Host, place: Place) -> str:
    from pypdf import PdfReader  # of the tests; what checks the results without building anything does without

    found = sorted(place.folder.glob(host.pdf))
    words = "".join(page.extract_text() for path in found for page in PdfReader(path).pages)
    return "" if "INSTRUCTIONS" in words else f"{[path.name for path in found]} have the words {words!r}"


def _strict(host: Host, place: Place) -> str:
    expected = break_page(host, place.folder)
    status, said = place.run(host.strict)
    if not status or expected not in said:
        return f"`{host.strict}` ends with status {status}, and {expected} is expected:\n{said.strip()}"
    return ""


def break_page(host: Host, folder: Path) -> str:
    """Put a broken block at the end of the page of a host; the place that has to be reported."""
    path = folder / host.page
    block = BROKEN.partition("\n\n")[2]
    text = f"{path.read_text('utf-8')}\n{block}" if path.exists() else "\n".join(block.split("\n")[1:-2]) + "\n"
    path.write_text(text, "utf-8")
    lines = text.split("\n")
    (at,) = (number for number, line in enumerate(lines, 1) if "S: { NESTED" in line)
    return f"{host.page}:{at}:{lines[at - 1].index('S:') + 1}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
