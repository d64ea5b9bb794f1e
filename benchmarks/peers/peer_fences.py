"""Fences of peers that have no plugin for MkDocs: what a docs author would write in a few lines.

Each function is a `format` of a custom fence of `pymdownx.superfences`.
"""

import subprocess
from tempfile import NamedTemporaryFile

import drawing


def merm(source: str, *_: object, **__: object) -> str:
    """A figure by the package, in this process."""
    return drawing.merm(source)


def mmdr(source: str, *_: object, **__: object) -> str:
    """A figure by the package, in this process."""
    return drawing.mmdr(source)


def railroad(source: str, *_: object, **__: object) -> str:
    """A figure by the package, in this process."""
    return drawing.railroad(source)


def pikchr(source: str, *_: object, **__: object) -> str:
    """A figure by the program that brings Pikchr."""
    return _ran(source, "fossil", "pikchr")


def nomnoml(source: str, *_: object, **__: object) -> str:
    """A figure by the program of the package, which reads files only."""
    with NamedTemporaryFile("w", suffix=".nomnoml", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        return _ran("", "nomnoml", file.name)


def _ran(source: str, *words: str) -> str:
    return subprocess.run(words, input=source, capture_output=True, text=True, encoding="utf-8", check=True).stdout
