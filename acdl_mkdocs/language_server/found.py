"""What is found in the folders of an editor: their files, and what is wrong with each. Knows no protocol."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source

Findings = tuple[tuple[Diagnostic, Source], ...]
"""Diagnostics, each with the text that its spans are of."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files of all folders."""

    texts: Mapping[Path, str] = field(default_factory=dict)
    """What those say on the disk that can be read."""
    configs: Mapping[Path, Config] = field(default_factory=dict)
    """How texts are read and checked, by folder, where a project says it."""
    problems: tuple[str, ...] = ()
    """Why others are left out: sentences for a person."""
    is_cut: bool = False
    """Whether there are more files than wanted."""
