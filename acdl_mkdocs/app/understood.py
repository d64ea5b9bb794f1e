"""A text of specs with resolved names, which all functions of `app` take from any front end."""

from dataclasses import replace
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.workspace.read_block import Finding

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.inputs import Input


@dataclass(frozen=True, slots=True)
class ResolvedText:
    """A text with resolved names, and how it is read."""

    resolved: Resolved
    """The tree, and what its names refer to."""
    config: Config
    """How it is read and checked; `range` applies if neither a question nor the text sets it."""
    findings: tuple[Finding, ...] = ()
    """Problems of its header and its fence, and parts that are not understood."""
    known_diagnostics: tuple[Diagnostic, ...] | None = None
    """The diagnostics of the rules, if known; else the rules run on first use."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(each for each in self.findings if each[0].severity == "error")

    def find_diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of the rules, in source order."""
        if self.known_diagnostics is not None:
            return self.known_diagnostics
        from acdl_mkdocs.language.analyse import diagnose  # loads all rules

        return diagnose(self.resolved, self.config)

    def with_range(self, mode: RangeMode) -> "ResolvedText":
        """Return the same text with another default for reading ranges."""
        return replace(self, config=replace(self.config, range=mode))


def understand_input(text_input: "Input") -> ResolvedText:
    """Resolve a text that was read, with the fragments of others that it uses."""
    examined = text_input.examine_names()
    config = replace(text_input.config, range=text_input.text.options.range)
    return ResolvedText(examined.resolved, config, text_input.collect_findings(examined))
