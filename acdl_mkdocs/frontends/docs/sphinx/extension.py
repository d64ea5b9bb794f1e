"""The Sphinx extension: directives, domain, style sheet, and how blocks get into pages."""

from typing import Any, TypedDict

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

from acdl_mkdocs import __version__
from acdl_mkdocs.frontends.docs.blocks.gallery_options import LANGUAGE
from acdl_mkdocs.frontends.docs.markdown.host import ASSETS, LATER_SCRIPTS
from acdl_mkdocs.frontends.docs.pages.embedded import WORD, without_parts
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.frontends.docs.sphinx.compared import LANGUAGES as COMPARISON_LANGUAGES
from acdl_mkdocs.frontends.docs.sphinx.compared import ComparedDirective, DrawCompared
from acdl_mkdocs.frontends.docs.sphinx.directive import AcdlDirective
from acdl_mkdocs.frontends.docs.sphinx.domain import (
    AcdlDomain,
    domain_of,
    pages_to_read_again,
    pages_to_redraw,
    report_missing,
)
from acdl_mkdocs.frontends.docs.sphinx.drawing import DrawBlocks
from acdl_mkdocs.frontends.docs.sphinx.gallery import SCRIPT, DrawGalleries, GalleryDirective, add_script
from acdl_mkdocs.frontends.docs.sphinx.ids import ReportIds
from acdl_mkdocs.frontends.docs.sphinx.nodes import (
    acdl_block,
    acdl_compared,
    acdl_compared_figure,
    acdl_figure,
    acdl_gallery,
    acdl_playbook,
    acdl_words,
    acdl_xml,
    depart,
    visit_html,
    visit_nothing,
)
from acdl_mkdocs.frontends.docs.sphinx.playbook import DrawPlaybooks, PlaybookDirective
from acdl_mkdocs.frontends.docs.sphinx.references import TakeLinks, TakeReferences
from acdl_mkdocs.frontends.docs.sphinx.settings import (
    PROJECT,
    VALUE,
    check_settings,
    has_playground,
    has_script,
    project_folder,
)
from acdl_mkdocs.frontends.docs.sphinx.source import forget_files
from acdl_mkdocs.frontends.docs.sphinx.xml import LANGUAGES, DrawXml, XmlDirective
from acdl_mkdocs.workspace.fences import lines_of

DIRECTIVES: dict[str, type[SphinxDirective]] = {
    "acdl": AcdlDirective,
    LANGUAGE: GalleryDirective,
    "acdl-playbook": PlaybookDirective,
    **dict.fromkeys(COMPARISON_LANGUAGES, ComparedDirective),
    **dict.fromkeys(LANGUAGES, XmlDirective),
}
"""Every directive; MyST draws plain fences with these names too."""

_SCRIPTS = ("acdl.js", *LATER_SCRIPTS, SCRIPT)
_FENCES = "myst_fence_as_directive"
_BEFORE_OTHERS = 400  # other extensions that look at the configuration have 500


class ExtensionMetadata(TypedDict):
    """The metadata of an extension for Sphinx."""

    version: str
    parallel_read_safe: bool
    parallel_write_safe: bool


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register everything with an application."""
    app.add_config_value(VALUE, {}, "env", types=Any)
    app.add_config_value(PROJECT, Settings(), "env", types=Any)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_domain(AcdlDomain)
    app.add_node(acdl_block, html=(visit_html, depart))
    app.add_enumerable_node(acdl_figure, "figure", html=(visit_html, depart))
    app.add_node(acdl_words, html=(visit_nothing, depart))
    app.add_node(acdl_gallery, html=(visit_html, depart))
    app.add_node(acdl_playbook, html=(visit_html, depart))
    app.add_enumerable_node(acdl_xml, "code-block", html=(visit_html, depart))
    app.add_node(acdl_compared, html=(visit_html, depart))
    app.add_enumerable_node(acdl_compared_figure, "figure", html=(visit_html, depart))
    app.add_transform(TakeReferences)
    app.add_transform(TakeLinks)
    app.add_transform(ReportIds)
    app.add_post_transform(DrawBlocks)
    app.add_post_transform(DrawGalleries)
    app.add_post_transform(DrawPlaybooks)
    app.add_post_transform(DrawXml)
    app.add_post_transform(DrawCompared)
    app.connect("config-inited", check_settings, priority=_BEFORE_OTHERS)
    app.connect("config-inited", _take_fences, priority=_BEFORE_OTHERS)
    app.connect("builder-inited", _add_assets, priority=_BEFORE_OTHERS)
    app.connect("builder-inited", _begin_build)
    app.connect("source-read", _drop_embedded)
    app.connect("env-get-outdated", pages_to_read_again)
    app.connect("env-updated", pages_to_redraw)
    app.connect("html-page-context", add_script)
    app.connect("warn-missing-reference", report_missing)
    app.connect("build-finished", _write_playground)
    return ExtensionMetadata(version=__version__, parallel_read_safe=True, parallel_write_safe=True)


def _take_fences(app: Sphinx, config: Config) -> None:
    """Register the directives as fences with MyST, if it is loaded, beside those that the project names."""
    del app
    if _FENCES in config:
        names = {written for name in DIRECTIVES for written in (name, name.upper(), name.capitalize())}
        config[_FENCES] = sorted({*(config[_FENCES] or ()), *names})


def _drop_embedded(app: Sphinx, name: str, source: list[str]) -> None:
    """Drop text that `acdl embed` wrote into a page, whose blocks are drawn here."""
    del app, name
    if WORD in source[0]:
        source[0] = "\n".join(without_parts(lines_of(source[0]), is_myst=True))


def _add_assets(app: Sphinx) -> None:
    """Put style sheet and script into every page; a file of the project with the same name comes before ours."""
    if app.builder.name == "epub":  # a book has its own style sheets, and no scripts
        style, scripts = "acdl-book.css", tuple[str, ...]()
    else:
        style, scripts = "acdl.css", _SCRIPTS if has_script(app.config) else ()
    files = [str(ASSETS / name) for name in (style, *scripts)]
    app.config.html_static_path = [*files, *app.config.html_static_path]
    app.add_css_file(style)
    for name in scripts[:1]:  # it loads the next ones where they are needed, pages with a gallery load the last
        app.add_js_file(name, loading_method="defer")


def _write_playground(app: Sphinx, exception: Exception | None) -> None:
    """Write the playground of a finished site, if it has one."""
    if exception is None and has_playground(app.config) and app.builder.format == "html" and app.builder.name != "epub":
        from acdl_mkdocs.frontends.docs.sphinx.playground import write_playground  # few sites have one

        write_playground(app)


def _begin_build(app: Sphinx) -> None:
    """Set the builder of the domain."""
    domain_of(app.env).begin_build(app.builder, project_folder(app))
    forget_files()
