"""The plugin `acdl` for MkDocs and ProperDocs: the site-wide part beside the Markdown extension.

Adds the extension and the style sheet, places every block in the page's own file, keeps drawn blocks between
builds and watches the files that figures are drawn from.
"""

import atexit
import errno
import gc
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils.templates import TemplateContext

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.system import relax_collector
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.host import log_to, set_page, set_site
from acdl_mkdocs.frontends.docs.mkdocs import autorefs, print_site
from acdl_mkdocs.frontends.docs.mkdocs.ahead import draw_new_blocks
from acdl_mkdocs.frontends.docs.mkdocs.assets import add_assets, load_assets, load_parts
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.deduplicating_reporter import DeduplicatingReporter
from acdl_mkdocs.frontends.docs.mkdocs.files import find_sources, from_page, project_folder
from acdl_mkdocs.frontends.docs.mkdocs.inputs import between_words, docstring_folders
from acdl_mkdocs.frontends.docs.mkdocs.library import MkDocsLibrary
from acdl_mkdocs.frontends.docs.mkdocs.llms import MkDocsLlms
from acdl_mkdocs.frontends.docs.mkdocs.watch import FileWatcher
from acdl_mkdocs.frontends.docs.page import DocstringPlaces, Page
from acdl_mkdocs.frontends.docs.pages.gallery import tag_anchors
from acdl_mkdocs.frontends.docs.pages.search_text import SearchablePage, hide_drawings
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry
from acdl_mkdocs.frontends.docs.settings import Settings, project_settings
from acdl_mkdocs.frontends.docs.workers import Workers
from acdl_mkdocs.workspace.cache import find_cache_folder, open_page_cache, prune_pages
from acdl_mkdocs.workspace.files import fixed_part
from acdl_mkdocs.workspace.project import find_project
from acdl_mkdocs.workspace.settings import SETTINGS_FILES

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.mkdocs.playbooks import MkDocsPlaybooks
    from acdl_mkdocs.frontends.docs.mkdocs.playground import MkDocsPlayground


@contextmanager
def report_write_errors(folder: str) -> Iterator[None]:
    """Within a block, end MkDocs with a sentence if a file of the site cannot be written or read.

    Raises:
        PluginError: A file fails; the message names it, or the folder if the system names none.
    """
    try:
        yield
    except OSError as reason:
        name, why = str(reason.filename or folder), (reason.strerror or str(reason)).lower()
        is_written = Path(name).absolute().is_relative_to(Path(folder).absolute())
        what, cure = (
            ("written", "free space, or make it writable")
            if is_written
            else ("read", "see that it is there and may be read")
        )
        cause = why if reason.errno == errno.ELOOP and is_written else f"{why}; {cure}"  # links have a separate fix
        raise PluginError(f"{name}: cannot be {what}: {cause}") from None


_log = logging.getLogger("mkdocs.plugins.acdl")

_FIRST, _BEFORE_AUTOREFS, _LAST = 100, 40, -100  # the second after mkdocstrings, whose objects keep their names
_BEFORE_NAVIGATION, _BEHIND_FILES = -99, -101
"""Priorities of `on_files`: before plugins that build the navigation from files, and after those that add pages."""
_REPLACES_FILES = "i18n"
"""A plugin that recreates all files for each language, between the two."""
_EXTENSION_NAMES = ("acdl", "acdl_mkdocs.frontends.docs.markdown.extension")


class AcdlPlugin(BasePlugin[AcdlConfig]):  # type: ignore[no-untyped-call]  # nor has this one
    """Figures for fenced `acdl` blocks."""

    def __init__(self) -> None:
        super().__init__()
        self._is_dirty = False
        self._workers: Workers | None = None
        self._root = self._docs = Path()
        self._cache: Path | None = None
        self._settings = Settings()
        self._docstrings: DocstringPlaces | None = None
        self._settings_at: dict[Path, Settings] = {}  # of pages of other projects
        self._extension = AcdlExtension()
        self._page: Page | None = None
        self._anchors: set[str] = set()  # anchors of the figures of the page that was drawn last
        self._anchors_on: dict[str, str] = {}  # of all pages, by source path; a set of each takes six times the memory
        self._cache_files: set[Path] = set()
        self._files: set[Path] = set()
        self._watcher: FileWatcher | None = None
        self._site: MkDocsLibrary | None = None
        self._playbooks: MkDocsPlaybooks | None = None
        self._playground: MkDocsPlayground | None = None
        self._autorefs: autorefs.AutorefsTargets | None = None
        self._nav: Navigation | None = None
        self._llms: MkDocsLlms | None = None
        self._report = DeduplicatingReporter(log_to("mkdocs.plugins.acdl"))
        self._has_parts = False  # whether pages load parts of the style sheet
        self._light: SearchablePage | None = None  # the page whose template is about to be filled
        self._relaxed = ExitStack()  # while the site is built

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Store whether all pages are built; having this event also keeps the plugin alive between rebuilds."""
        del command
        atexit.register(gc.freeze)  # nobody waits for a last search for garbage when the site is built
        self._is_dirty = dirty

    @event_priority(_FIRST)
    def _find_pages(self, config: MkDocsConfig) -> MkDocsConfig:
        """Store the folder of the pages, before other plugins copy them; collect garbage less often from here on."""
        self._relaxed.enter_context(relax_collector())
        self._docs = Path(config.docs_dir)
        return config

    def _configure_site(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the Markdown extension, the style sheet and the script, unless the site has them already."""
        listed = [name for name in config.markdown_extensions if str(name).partition(":")[0] in _EXTENSION_NAMES]
        if not listed:
            config.markdown_extensions.append("acdl")
        options = (config.mdx_configs or {}).get(str(listed[0]), {}) if listed else {}
        self._extension = AcdlExtension(**options)
        self._root = project_folder(config, self._docs, self.config.add_to_settings(self._extension.settings).root)
        if not self._root.is_dir():
            cure = "write its path from the folder of the configuration file"
            raise PluginError(f"the option `root` of `acdl` names {self._root}, which is not a folder; {cure}")
        self._cache = find_cache_folder(self._root, is_wanted=self.config.cache, warn=_log.debug)
        self._settings, self._settings_at = self._settings_of(self._root), {}
        self._report_other_root()
        for name in self.config.watch:
            if not os.path.exists(self._root / name):
                _log.warning("the option `watch` of `acdl` names `%s`, which does not exist", name)
        load_assets(config, has_script=self.config.script)
        return config

    on_config = CombinedEvent(_find_pages, _configure_site)

    @event_priority(_FIRST)
    def _announce_pages(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Read all spec files and playbooks, and add their pages, for plugins that look at pages."""
        self._site = None
        if _REPLACES_FILES not in config.plugins:
            self._begin_build(files, config)
        return files

    @event_priority(_BEFORE_NAVIGATION)
    def _announce_again(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Repeat that if other plugins have added or removed relevant files."""
        if self._site and not self._site.is_current(files):
            self._site.remove_files(files)
            self._begin_build(files, config)
        return files

    @event_priority(_BEHIND_FILES)
    def _fill_site(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Read all pages, and add the generated files to the site."""
        self._site = self._site or self._begin_build(files, config)
        self._site.files = files
        self._site.read_pages()
        if self._playbooks is None and self._site.book_pages:
            self._playbooks = self._with_playbooks(config, self._site)
        if self._playbooks:
            self._playbooks.hide_sources()
        self._site.make_pages(self._list_lessons)
        if self._playbooks:
            self._playbooks.make_pages(self._report)
        other = config.plugins.get(autorefs.PLUGIN)
        self._autorefs = autorefs.AutorefsTargets(other, self._site.library.catalog) if other else None
        self._llms = MkDocsLlms(self._site, config, files) if self.config.llms else None
        if self.config.playground is True:
            from acdl_mkdocs.frontends.docs.mkdocs.playground import MkDocsPlayground

            self._playground = MkDocsPlayground(files, config, self._root, self._settings.rule_url)
        return files

    on_files = CombinedEvent(_announce_pages, _announce_again, _fill_site)

    @event_priority(_BEHIND_FILES)
    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Store the order of the pages, read late ones, and draw blocks ahead."""
        self._nav = nav
        if self._site is None:
            return
        self._site.read_late_pages(self._list_lessons)
        set_site(partial(self._open_again, config=config))
        if self._cache and self.config.jobs != 1 and not self._is_dirty:
            self._workers = draw_new_blocks(
                files, self._site.library, self._cache, self.config.jobs, partial(self._open_page, config=config)
            )

    def on_page_markdown(self, markdown: str, *, page: MkDocsPage, config: MkDocsConfig, files: Files) -> None:
        """Announce the page that is rendered next, and the source of its text."""
        del files
        if self._llms:
            self._llms.add_page(page, markdown)
        self._page = self._open_page(page, markdown, config)
        if self._page.cache:
            self._cache_files.add(self._page.cache.path)
        if self._playground:
            self._playground.connect_page(self._page, page)
        set_page(self._page)

    def _keep_drawn(self, html: str, *, page: MkDocsPage, config: MkDocsConfig, files: Files) -> None:
        """Keep the drawings, and the anchors of figures."""
        del config, files
        acdl_page, self._page, self._anchors = self._page, None, set()
        set_page(None)
        if acdl_page is None:
            return
        self._anchors = acdl_page.used_ids | tag_anchors(html)
        self._anchors_on[page.file.src_uri] = "\n".join(["", *self._anchors, ""])  # each between line ends
        if self._autorefs:
            self._autorefs.add_page(page, acdl_page.used_ids)
        self._files |= acdl_page.files
        if acdl_page.cache:
            acdl_page.cache.save_file()

    @event_priority(_LAST)
    def _prepare_copy(self, html: str, *, page: MkDocsPage, config: MkDocsConfig, files: Files) -> None:
        """Give a plugin that puts all pages on one a copy that is correct there."""
        del html, files
        if self._anchors and self._nav and print_site.PLUGIN in config.plugins:
            print_site.prepare_for_print(page, self._anchors, self._nav, config)

    on_page_content = CombinedEvent(_keep_drawn, _prepare_copy)

    @event_priority(_BEFORE_AUTOREFS)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> None:
        """Give MkDocs and the plugin `autorefs` the targets in figures of all pages, before links are resolved."""
        del env, config
        self._report_anchors(files)
        if self._workers:
            self._workers.wait()
        if self._playground and self._cache and self.config.jobs != 1:
            self._playground.draw_previews()
        if self._autorefs:
            self._autorefs.register_targets()

    def _report_anchors(self, files: Files) -> None:
        """Report to MkDocs only the anchors that pages link to: all of them would take a tenth of the memory."""
        pages = filter(None, (file.page for file in files))  # drafts too
        links = (item for page in pages for item in (page.links_to_anchors or {}).items())
        for file, anchors in links:
            ids = self._anchors_on.get(file.src_uri, "")
            if file.page and file.page.present_anchor_ids is not None:
                file.page.present_anchor_ids |= {each for each in anchors if f"\n{each}\n" in ids}

    @event_priority(_FIRST)
    def _hide_drawings(
        self, context: TemplateContext, *, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Hide drawings from other plugins while they index the page; searches take longest to read them."""
        del context, nav
        n_others = len(config.plugins.events["page_context"]) - len(type(self).on_page_context.methods)
        html = page.content if n_others else None
        self._light = hide_drawings(html, between_words(config)) if html and 'class="acdl-' in html else None
        if self._light:
            page.content = self._light.html

    @event_priority(_LAST)
    def _restore_drawings(
        self, context: TemplateContext, *, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Restore the drawings of the page before its template is filled, keeping changes by others."""
        del context, config, nav
        if self._light and page.content:
            page.content = self._light.restore_drawings(page.content)
        self._light = None

    on_page_context = CombinedEvent(_hide_drawings, _restore_drawings)

    def on_post_page(self, output: str, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """Load the styles that the page uses; add links to the files of a playbook, for feed readers and programs."""
        del config
        output = load_parts(output) if self._has_parts else output
        head = self._playbooks.render_head_links(page) if self._playbooks else ""
        return output.replace("</head>", f"{head}\n</head>", 1) if head else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Forget removed pages, and watch the files that this build has read."""
        self._end_build()
        if self._cache and not self._is_dirty:
            prune_pages(self._cache, self._cache_files)
        with report_write_errors(config.site_dir):
            if self._site:
                self._site.save_cache()
            if self._playbooks:
                self._playbooks.write_files()
            if self._llms:
                self._llms.write_files(self._nav)
            if self._playground and self._site:
                self._playground.write_files(frozenset(self._site.edited))
        if self._report.summary:
            _log.info("%s", self._report.summary)
        self._watch_inputs()

    def on_build_error(self, *, error: Exception) -> None:
        """Forget the page that was being rendered."""
        del error
        set_page(None)
        self._end_build()

    def _end_build(self) -> None:
        if self._workers:
            self._workers.kill()
            self._workers = None
        set_site(None)
        self._relaxed.close()

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: object) -> LiveReloadServer:
        """Set up rebuilds when a spec changes."""
        del builder
        self._watcher = FileWatcher(server, [config.docs_dir, *config.watch])
        self._watch_inputs()
        self._watcher.start_polling()
        return server

    def _open_page(self, page: MkDocsPage, markdown: str, config: MkDocsConfig) -> Page:
        """Open a page of the site before any of its blocks is drawn."""
        of = find_sources(config, self._root)
        path = of.path_of(page.file)
        root = of.root_of(path)
        settings = self._settings if root == self._root else self._settings_at.get(root) or self._settings_of(root)
        self._settings_at[root] = settings
        opened = Page(
            name=of.name_of(page.file, path),
            path=path,
            root=root,
            named_from=self._root,
            settings=replace(settings, rule_url=from_page(settings.rule_url, page, config)),
            report=self._report,
            cache=open_page_cache(self._cache, page.file.src_uri) if self._cache and "acdl" in markdown else None,
        )
        if root == self._root:
            opened.docstrings = self._docstrings
        if self._site:
            self._site.connect_page(opened, page)
        return opened

    def _open_again(self, page: MkDocsPage, config: MkDocsConfig) -> Page:
        """Open a page again of which another page shows a part."""
        opened = self._open_page(page, page.markdown or "", config)
        if self._playground:
            self._playground.connect_page(opened, page)
        return opened

    def _settings_of(self, root: Path) -> Settings:
        """Return the settings of pages of a project."""
        try:
            return self.config.add_to_settings(self._extension.add_to_settings(project_settings(root)))
        except SettingsError as reason:
            raise PluginError(str(reason)) from None

    def _report_other_root(self) -> None:
        """Report that other tools would read paths of the same pages relative to another folder."""
        root = find_project(self._docs, self._root)
        if root != self._root:
            cure = f"an `acdl.toml` in {self._root} with `root = true` makes them agree"
            _log.info("paths in blocks begin at %s, for `acdl check` and editors at %s; %s", self._root, root, cure)

    def _begin_build(self, files: Files, config: MkDocsConfig) -> MkDocsLibrary:
        """Begin a build."""
        self._has_parts = add_assets(files, config, has_script=self.config.script)
        self._cache_files, self._playbooks, self._playground, self._anchors_on = set(), None, None, {}
        self._files = self._files if self._is_dirty else set()  # not every page is read again
        self._docstrings = DocstringPlaces([self._root, *docstring_folders(config)], self._root)
        self._site = MkDocsLibrary(files, config, self.config, self._root, self._settings)
        is_further = not getattr(config.plugins.get(_REPLACES_FILES), "is_default_language_build", True)
        # Pages without a translation are in the site of each language.
        self._report = DeduplicatingReporter(
            log_to("mkdocs.plugins.acdl"), self._site.edited, self._report if is_further else None
        )
        if self.config.playbooks:
            self._playbooks = self._with_playbooks(config, self._site)
        if _REPLACES_FILES not in config.plugins:
            self._site.add_empty_pages()
            if self._playbooks:
                self._playbooks.add_empty_pages()
        return self._site

    def _list_lessons(self, entry: SpecEntry, address: str) -> tuple[str, ...]:
        """Return the lessons of playbooks about a spec, for its page."""
        return self._playbooks.list_lessons(entry, address) if self._playbooks else ()

    def _with_playbooks(self, config: MkDocsConfig, site: MkDocsLibrary) -> "MkDocsPlaybooks":
        from acdl_mkdocs.frontends.docs.mkdocs.playbooks import MkDocsPlaybooks  # few sites have some

        return MkDocsPlaybooks(config, self.config, site)

    def _watch_inputs(self) -> None:
        """Watch the files named in the options and those that blocks are drawn from, also missing ones."""
        if self._watcher is None:
            return
        wanted = {
            self._root / "examples",
            *(self._root / name for name in SETTINGS_FILES),
            *(self._root / name for name in self.config.watch),
            *(fixed_part(self._root, name) for name in (*self.config.specs, *self.config.playbooks)),
        }
        wanted |= self._playbooks.paths if self._playbooks else set()
        wanted |= self._site.library.files if self._site else set()
        self._watcher.watch_paths((wanted | self._files) - {self._root})
