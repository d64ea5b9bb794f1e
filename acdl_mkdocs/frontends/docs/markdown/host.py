"""The page that is being rendered, in any tool.

The only module that knows how MkDocs, ProperDocs and Zensical inform a Markdown extension about the page. Each answer
may be missing, so all callers must work without one.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.util import Registry

from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.frontends.docs.markdown.docs_folder import DocsFolder
from acdl_mkdocs.frontends.docs.page import Page, report_nowhere
from acdl_mkdocs.frontends.docs.pages.relocate import PageCopy
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.project import root_of_site

ASSETS = Path(__file__).parents[3] / "assets"
"""The folder with the style sheet of the package."""
LATER_SCRIPTS = ("acdl-actions.js", "acdl-playbook.js", "acdl-steps.js")
"""Scripts beside `acdl.js`, which loads them where or when they are needed."""

_CURRENT: ContextVar[Page | None] = ContextVar("acdl_page", default=None)
_PAGE_OPENER: ContextVar[Callable[[Any], Page] | None] = ContextVar("acdl_opened", default=None)
"""A function from a page of the tool to ours, which knows its whole site: set by the plugin."""
_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING, "note": logging.INFO}

Report = Callable[[Severity, str], None]


def set_page(page: Page | None) -> None:
    """Set the page that is rendered from here on, or none."""
    _CURRENT.set(page)


def set_site(opened: Callable[[Any], Page] | None) -> None:
    """Set how pages of the site are opened that are rendered out of turn, or that there is no site."""
    _PAGE_OPENER.set(opened)


@contextmanager
def announce_page(page: Page) -> Iterator[Page]:
    """Announce the page that is rendered inside this block."""
    token = _CURRENT.set(page)
    try:
        yield page
    finally:
        _CURRENT.reset(token)


def page_of(md: Markdown, settings: Settings) -> Page:
    """Return the page that `md` renders: as the plugin, Zensical or MkDocs announces it, else one without a name.

    Parameters:
        md: The Markdown instance.
        settings: For a page that the plugin has not announced. Without a `root`, the project's folder is that of the
            tool's configuration file, else the working folder.
    """
    return (
        _CURRENT.get()
        or _find_excerpt_page(md, settings)
        or _zensical_page(md, settings)
        or _mkdocs_page(md, settings)
        or _page_without_host(settings)
    )


def log_to(name: str) -> Report:
    """Return a reporter for a logger: errors and warnings make `mkdocs build --strict` fail, notes do not."""
    logger = logging.getLogger(name)

    def report(severity: Severity, line: str) -> None:
        logger.log(_LEVELS[severity], "%s", line)

    return report


def warn_on_stderr(message: str) -> None:
    """Print a problem of a configuration on standard error, for tools that show no log."""
    sys.stderr.write(f"acdl: {message}\n")


def _page_without_host(settings: Settings) -> Page:
    return Page(settings=settings, root=settings.root or Path(), report=log_to("acdl_mkdocs"))


def _zensical_page(md: Markdown, settings: Settings) -> Page | None:
    """Return the page of Zensical, which is in a preprocessor; without a log, problems go to standard error."""
    host = _find_processor(md.preprocessors, "rendering_context")
    page, config = getattr(host, "page", None), getattr(host, "config", None)
    path = getattr(page, "path", None)
    if not isinstance(path, str):
        return None
    settings_of = config if isinstance(config, dict) else getattr(config, "__dict__", {})
    docs, has_directories = settings_of.get("docs_dir"), settings_of.get("use_directory_urls")
    folder, docs_folder = _find_folders(settings, settings_of.get("config_file_path"), docs)
    pages = DocsFolder(folder, docs_folder, has_directories is not False, has_file_links=True)
    return _file_page(path, pages, settings, _to_standard_error)


def _find_excerpt_page(md: Markdown, settings: Settings) -> Page | None:
    """Return the page of a blog excerpt: Material renders posts again for lists, when problems were reported before."""
    host = _find_processor(md.treeprocessors, "excerpt")
    post, base = getattr(host, "page", None), getattr(host, "base", None)
    if post is None or base is None:
        return None
    opened = _PAGE_OPENER.get()
    page = opened(post) if opened else _mkdocs_page(md, settings) or _page_without_host(settings)
    page.report, page.relocate = report_nowhere, PageCopy(post.url, base.url).relocate_part
    return page


def _mkdocs_page(md: Markdown, settings: Settings) -> Page | None:
    """Return the page of MkDocs without the plugin: its own link processor knows the file."""
    host = _find_processor(md.treeprocessors, "relpath")
    path = getattr(getattr(host, "file", None), "src_uri", None)
    if not isinstance(path, str):
        return None
    config = getattr(host, "config", None)
    docs, has_directories = getattr(config, "docs_dir", None), getattr(config, "use_directory_urls", True)
    folder, docs_folder = _find_folders(settings, getattr(config, "config_file_path", None), docs)
    pages = DocsFolder(folder, docs_folder, bool(has_directories))
    return _file_page(path, pages, settings, log_to("mkdocs.plugins.acdl"))


def _file_page(path: str, pages: DocsFolder, settings: Settings, report: Report) -> Page:
    """Return a page of a documentation folder, with its file if there is one."""
    root, file = pages.root, pages.docs / path
    if not (file.is_relative_to(root) and os.path.isfile(file)):
        return Page(name=path, root=root, settings=settings, report=report)
    page = Page(name=file.relative_to(root).as_posix(), path=file, root=root, settings=settings, report=report)
    pages.connect_page(page, path)
    return page


def _find_processor(registry: object, name: str) -> object | None:
    """Return the processor with a name, if there is one."""
    if not isinstance(registry, Registry):
        return None
    return registry[name] if name in registry else None  # noqa: SIM401 - a `Registry` has no `get`


def _find_folders(settings: Settings, config_file: object, docs: object) -> tuple[Path, Path]:
    """Return the folder of the project, and that of its pages, relative to that of the configuration."""
    is_known = isinstance(config_file, str) and config_file
    folder = Path(str(config_file)).resolve().parent if is_known else Path()
    pages = folder / (docs if isinstance(docs, str) else "docs")
    return settings.root or (root_of_site(folder, pages) if is_known else folder), pages


def _to_standard_error(severity: Severity, line: str) -> None:
    if severity != "note":
        sys.stderr.write(f"{line}\n")
