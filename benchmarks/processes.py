"""The program `acdl`, from its start to its end."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, added_row, emptied, in_turn, ratio_row, run, timed_row
from specs import TYPICAL

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable
_OTHERS = ("pymdownx.highlight", "pymdownx.superfences")


def measure() -> list[Row]:
    """All rows of this part."""
    acdl = str(Path(PYTHON).with_name("acdl"))
    run(PYTHON, "-m", "compileall", "-q", str(ROOT / "acdl_mkdocs"))  # as pip does for an installed package
    with TemporaryDirectory() as folder:
        spec = Path(folder, "typical.acdl")
        spec.write_text(TYPICAL, "utf-8")
        one, many, site = Path(folder, "one"), Path(folder, "many"), Path(folder, "site")
        render, lark, version, bare, examples, fence, page = in_turn(
            9,
            lambda: run(acdl, "render", str(spec), "-o", str(one / "typical.svg")),
            lambda: run(PYTHON, "-c", "import lark"),
            lambda: run(acdl, "--version"),
            lambda: run(PYTHON, "-c", "pass"),
            lambda: run(acdl, "render", str(ROOT / "examples"), "-o", str(many)),
            lambda: run(PYTHON, "-c", _page("acdl", *_OTHERS, "acdl"), cwd=str(site)),
            lambda: run(PYTHON, "-c", _page("text", *_OTHERS), cwd=str(site)),
            before=(emptied(one), None, None, None, emptied(many), emptied(site), emptied(site)),
        )
    return [
        ratio_row("acdl render, one file", render, "python -c 'import lark'", lark, at_most=1.3),
        added_row("acdl --version", version, "python -c pass", bare, at_most_ms=60),
        timed_row("acdl render examples -o out/", examples, at_most_ms=180, against=("python -c pass", bare)),
        added_row("what a fence needs, loaded and used once", fence, "MkDocs and a `text` fence", page, at_most_ms=60),
    ]


def _page(kind: str, *extensions: str) -> str:
    """A program that loads a docs tool and reads a page with one small block."""
    text = f"# Page\n\n```{kind}\nChat: {{ U: env.question[@T] }}\n```\n"
    return f"import markdown, mkdocs.commands.build\nmarkdown.markdown({text!r}, extensions={[*extensions]!r})"
