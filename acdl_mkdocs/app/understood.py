"""A text of specs whose names are resolved, as every question takes it, wherever a front end has it from."""

from dataclasses import replace

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class Understood:
    """A text, and how it is read."""

    resolved: Resolved
    config: Config
    """How it is read and checked; `range` counts where neither a question nor the text says it."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with its header and its fence, and what of it is not understood."""
    checked: tuple[Diagnostic, ...] | None = None
    """What the rules find in it, where that is known; else they are asked when it is needed."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(each for each in self.findings if each[0].severity == "error")

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what the rules find in it, in source order."""
        if self.checked is not None:
            return self.checked
        from acdl_mkdocs.language.analyse import diagnose  # loads all rules

        return diagnose(self.resolved, self.config)

    def with_range(self, mode: RangeMode) -> "Understood":
        """Return the same text with another reading of ranges that say nothing themselves."""
        return replace(self, config=replace(self.config, range=mode))
