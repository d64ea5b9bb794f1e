"""Fences of peers that have no plugin for MkDocs: what a docs author would write in a few lines.

Each function is a `format` of a custom fence of `pymdownx.superfences`.
"""

import functools
import json
import os
import subprocess
from pathlib import Path
from subprocess import PIPE

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
    """A figure by the package, in a process that draws all of a build."""
    process = _nomnoml()
    assert process.stdin and process.stdout  # noqa: S101, PT018 - both are pipes
    process.stdin.write(json.dumps(source) + "\n")
    process.stdin.flush()
    return str(json.loads(process.stdout.readline()))


@functools.cache
def _nomnoml() -> "subprocess.Popen[str]":
    """The process; it ends when this one does, with its input."""
    words = ["node", str(Path(__file__).with_name("drawing.mjs")), "nomnoml", os.environ["BENCH_PEERS"]]
    return subprocess.Popen(words, stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8")


def _ran(source: str, *words: str) -> str:
    return subprocess.run(words, input=source, capture_output=True, text=True, encoding="utf-8", check=True).stdout
