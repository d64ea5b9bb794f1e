"""Fixtures of the tests with docs tools."""

from pathlib import Path

import pytest

from integrations.sphinx_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A Sphinx project without pages."""
    return Project(tmp_path)
