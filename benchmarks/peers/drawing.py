"""Peers that are Python packages: `python drawing.py NAME FOLDER SOURCE ...` draws all sources in one process.

Runs in the environment of the peers, which this project's is not, so their packages are loaded by name.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from io import StringIO
from pathlib import Path


def merm(source: str) -> str:
    """A Mermaid flowchart, in pure Python."""
    return str(import_module("merm").render_diagram(source))


def mmdr(source: str) -> str:
    """A Mermaid flowchart, by a compiled extension."""
    return str(import_module("mmdr").render(source).svg())


def railroad(source: str) -> str:
    """A railroad diagram; its package has no language but Python's, so the source is an expression."""
    written = StringIO()
    eval(source, vars(import_module("railroad"))).writeStandalone(written.write)  # noqa: S307 - our own file
    return written.getvalue()


DRAWN_BY: Mapping[str, Callable[[str], str]] = {"merm": merm, "mmdr": mmdr, "railroad": railroad}


def main(name: str, folder: str, *sources: str) -> None:
    """Draw every source into the folder."""
    for source in map(Path, sources):
        figure = DRAWN_BY[name](source.read_text("utf-8"))
        Path(folder, source.name).with_suffix(".svg").write_text(figure, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
