"""The settings of a custom fence of `pymdownx.superfences`, for the whole page, and how a strict build fails.

Superfences passes blocks that it understands to a custom fence. The extension takes every block before that, and the
references; of the fence it needs to know the settings, and whether a build is to fail. `zensical build --strict` does
not see what extensions report, so it fails in the same way.
"""

import re
import sys
from collections.abc import Container
from dataclasses import field

from markdown import Markdown

from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.markdown.host import Report
from acdl_mkdocs.frontends.docs.markdown.page_end import PageEnd
from acdl_mkdocs.frontends.docs.page import Page

_NAME, _LAST = "acdl_strict", 1  # after the references
_STRICT = re.compile("-c*s")
"""`--strict` of Zensical in its short form, also combined with that of `--clean`."""


@dataclass(frozen=True, slots=True)
class FenceSettings:
    """The settings of a custom fence that apply to the whole page."""

    is_strict: bool = False
    """Whether the first page with an error ends a build."""
    settings: dict[str, object] = field(default_factory=dict)
    """The settings of the Markdown extension."""


def find_fence_settings(md: Markdown) -> FenceSettings | None:
    """Return the settings of our custom fence in a converter; nothing if it has none."""
    fences = [
        fence
        for extension in getattr(md, "registeredExtensions", ())
        for custom in extension.getConfig("custom_fences", ()) or ()
        if isinstance(custom, dict)
        and isinstance(fence := getattr(custom.get("format"), "fence_settings", None), FenceSettings)
    ]
    if not fences:
        return None
    settings = next((each.settings for each in fences if each.settings), {})
    return FenceSettings(any(each.is_strict for each in fences), settings)


def is_preview() -> bool:
    """Return whether this process previews pages while they are written, and must survive every mistake."""
    return "serve" in sys.argv[1:2]


def is_strict_zensical() -> bool:
    """Return whether this process is a build by Zensical that must fail on warnings."""
    config = sys.modules.get("zensical.config")
    if config is None or sys.argv[1:2] != ["build"]:
        return False
    if any(argument == "--strict" or _STRICT.fullmatch(argument) for argument in sys.argv[2:]):
        return True
    settings = config.get_config()
    return bool(settings and settings.get("strict"))


class StrictEnd(PageEnd):
    """An end of pages that ends a strict build at the first page with a problem."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md, _NAME, _LAST)
        self._errors: list[str] = []

    def watch_page(self, page: Page, fatal: Container[Severity] = ("error",), *, is_printed: bool = False) -> None:
        """Watch everything that is reported to a page from here on.

        Parameters:
            page: The page.
            fatal: The severities that end the build.
            is_printed: Whether the docs tool prints the exception, so that nothing need be reported twice.
        """
        self._errors.clear()
        page.report = self._count_reports(page.report, fatal, is_printed=is_printed)

    def end_page(self) -> None:
        """Fail if something was reported.

        Raises:
            SuperFencesException: Something was wrong. It is the only exception that superfences does not swallow.
        """
        errors, self._errors = self._errors, []
        if errors:
            from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]

            raise SuperFencesException("\n".join(errors))

    def _count_reports(self, report: Report, fatal: Container[Severity], *, is_printed: bool) -> Report:
        def note(severity: Severity, line: str) -> None:
            if severity in fatal:
                self._errors.append(line)
            if severity not in fatal or not is_printed:
                report(severity, line)

        return note


def strict_end(md: Markdown) -> StrictEnd:
    """Return the strict end of pages of a converter; created when first needed."""
    processor = md.postprocessors[_NAME] if _NAME in md.postprocessors else None  # noqa: SIM401 - a `Registry` has no `get`
    return processor if isinstance(processor, StrictEnd) else StrictEnd(md)
