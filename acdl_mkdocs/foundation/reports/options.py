"""The parameters of reports: their options, and the results of a whole run of `acdl check`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Severity
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import format_count


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options for showing diagnostics."""

    color: bool = False
    """Whether terminal colours are used."""
    rule_url: str = ""
    """The address of the page that explains a rule, with `{rule}` in place of its name; empty if there is none."""
    thing: str = "ACDL"
    """The kind of block that a panel in a page is about."""


def rule_address(rule: str, options: ReportOptions) -> str:
    """Return the address of the page that explains a rule; empty if there is none."""
    return options.rule_url.replace("{rule}", rule)


@dataclass(frozen=True, slots=True)
class RuleText:
    """The documentation of a rule."""

    problem: str
    """The problem, as a sentence."""
    severity: Severity
    """The severity, unless a project sets another one."""
    text: str
    """The documentation as plain text."""
    markdown: str
    """The documentation as Markdown that every reader of Markdown understands."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with texts."""

    findings: tuple[tuple[Diagnostic, Source], ...]

    @property
    def counts(self) -> Counter[str]:
        """How many problems there are of each severity."""
        return Counter(diagnostic.severity for diagnostic, _ in self.findings)

    @property
    def summary(self) -> str:
        """How many there are, in words; empty if nothing is wrong."""
        counts = self.counts
        return ", ".join(format_count(counts[each], each) for each in ("error", "warning", "note") if counts[each])

    def is_fine(self, *, is_strict: bool) -> bool:
        """Whether there is no error, and if that is asked for no warning."""
        counts = self.counts
        return not (counts["error"] or (is_strict and counts["warning"]))


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was read, and its problems."""

    name: str
    """The name that people use: usually its path."""
    findings: tuple[tuple[Diagnostic, Source], ...] = ()
    """Each with the text that its spans are of: the file, one of its blocks, or a file that a block names."""


@dataclass(frozen=True, slots=True)
class WholeRun:
    """Everything that one command checked."""

    files: tuple[CheckedFile, ...]
    unread: tuple[str, ...] = ()
    """Files and other inputs that could not be read, a sentence each."""
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    """Documentation of the rules that were broken, by name; one that is missing is named without it."""
    is_strict: bool = False
    """Whether warnings count as failures."""
    command: str = "acdl check"
    """The command that checked the files."""
