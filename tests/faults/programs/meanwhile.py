# ruff: noqa: ARG001 - MkDocs gives its hooks more than they need
"""Hooks of MkDocs: at one moment of a build, named by `MOMENT`, another one, of the file `OTHER`, begins and ends."""

import os
import subprocess
import sys


def _at(moment: str) -> None:
    if os.environ.get("MOMENT") == moment:
        environment = {**os.environ, "MOMENT": ""}
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", os.environ["OTHER"]]
        subprocess.run(command, env=environment, check=True)


def on_nav(nav: object, **_: object) -> None:
    """When all files are known, and none is written."""
    _at("nav")


def on_env(env: object, **_: object) -> None:
    """When pages have their figures, just before files are copied."""
    _at("env")


def on_post_page(output: str, **_: object) -> None:
    """When some files are written."""
    _at("page")
