"""What a whole run of `acdl check` found, for reports that are one document and not a line for each problem."""

from collections.abc import Mapping
from dataclasses import field

from acdl_mkdocs.diagnostics import Diagnostic, Severity
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.source import Source


@dataclass(frozen=True, slots=True)
class RuleText:
    """What there is to read about a rule."""

    problem: str
    """What is wrong, as a sentence."""
    severity: Severity
    """How bad it is unless a project says otherwise."""
    text: str
    """The documentation as plain text."""
    markdown: str
    """The documentation as Markdown that every reader of Markdown understands."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was read, and what is wrong in it."""

    name: str
    """What a person calls it: usually its path."""
    findings: tuple[tuple[Diagnostic, Source], ...] = ()
    """Each with the text that its spans are of: the file, one of its blocks, or a file that a block names."""


@dataclass(frozen=True, slots=True)
class WholeRun:
    """Everything that one command checked."""

    files: tuple[CheckedFile, ...]
    unread: tuple[str, ...] = ()
    """What could not be read, a sentence each."""
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    """Documentation of the rules that were broken, by name; one that is missing is named without it."""
    is_strict: bool = False
    """Whether warnings count as failures."""
    command: str = "acdl check"
    """What checked it."""
