"""Fixtures of the tests with docs tools."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.mkdocs_site import CHAT, GREETING, Site
from integrations.sphinx_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A Sphinx project without pages."""
    return Project(tmp_path)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with one page and two files; MkDocs' counting of warnings is undone afterwards."""
    made = Site(tmp_path)
    made.write("specs/chat.acdl", CHAT)
    made.write("specs/deep/greeting.acdl", GREETING)
    logger = logging.getLogger("mkdocs")
    handlers = list(logger.handlers)
    yield made
    logger.handlers[:] = handlers
