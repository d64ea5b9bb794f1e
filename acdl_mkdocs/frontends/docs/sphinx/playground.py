"""The playground of a Sphinx site: its files beside the pages, with the figures of all pages as its menu.

Figures have their text in the link that opens them, so a page need not be written again when the playground is.
"""

from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util import logging

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.docs.blocks.example import example_of
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.errors import report_write_errors
from acdl_mkdocs.frontends.docs.sphinx.settings import PLAYGROUND, settings_of
from acdl_mkdocs.frontends.playground.bundle import build_bundle
from acdl_mkdocs.frontends.playground.examples import ListedExample
from acdl_mkdocs.frontends.playground.site import SiteFacts, site_files, write_site

_log = logging.getLogger(__name__)


def write_playground(app: Sphinx) -> None:
    """Write the playground.

    Raises:
        ConfigError: It cannot be built; the message says what to do.
    """
    if {PLAYGROUND, f"{PLAYGROUND}/index"} & set(app.env.found_docs):
        raise ConfigError(f"the playground and a page are both at `{PLAYGROUND}`; rename the page")
    try:
        bundle = build_bundle(domain_of(app.env).folder, lambda words: _log.info("%s", words))
    except PlaygroundError as reason:
        raise ConfigError(str(reason)) from None
    rule_url = settings_of(app.config).rule_url
    if rule_url and "://" not in rule_url and not rule_url.startswith("/"):
        rule_url = f"../{rule_url}"
    facts = SiteFacts(app.config.project, f"../{app.builder.get_target_uri(app.config.root_doc)}", rule_url)
    with report_write_errors():
        write_site(Path(app.outdir) / PLAYGROUND, site_files(bundle, facts, _list_figures(app)))


def _list_figures(app: Sphinx) -> Iterator[ListedExample]:
    """Yield the figures of all pages, in groups named after the pages."""
    domain = domain_of(app.env)
    for docname in sorted(domain.blocks):
        catalog = domain.collect_blocks().catalog_for(docname, str)
        for block in domain.blocks[docname]:
            if block.text.source.text.strip():
                anchor = domain.anchor_in(app.builder, docname, block.anchor)
                url = f"../{app.builder.get_target_uri(docname).partition('#')[0]}#{anchor}"
                title = app.env.titles[docname].astext() or docname
                yield ListedExample(example_of(block.text, catalog.find_sources(block.text)), url, title)
