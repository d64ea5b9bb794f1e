"""A MkDocs site as a build without any memory makes it: what a preview has to show."""

import logging
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import empty_caches
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import get_files
from mkdocs.structure.nav import get_navigation

_DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files that say when they were made."""


def clean_pages(root: Path, site_url: str, wanted: Collection[str] | None = None) -> dict[str, tuple[str, str]]:
    """Address and content of pages, without their theme, by their path in the documentation folder.

    Parameters:
        root: The project's folder.
        site_url: Where the site is served.
        wanted: The pages, of which those that do not exist are left out; `None` are all.
    """
    config = _config(root, site_url, root / "out")
    config = config.plugins.on_config(config)
    files = get_files(config)
    env = config.theme.get_env()
    files.add_files_from_theme(env, config)
    files = config.plugins.on_files(files, config=config)
    nav = config.plugins.on_nav(get_navigation(files, config), config=config, files=files)
    del nav
    found: dict[str, tuple[str, str]] = {}
    for file in files.documentation_pages():
        page = file.page
        if page is None or (wanted is not None and file.src_uri not in wanted):
            continue
        page.read_source(config)
        page.markdown = config.plugins.on_page_markdown(page.markdown or "", page=page, config=config, files=files)
        page.render(config, files)
        html = config.plugins.on_page_content(page.content or "", page=page, config=config, files=files)
        found[file.src_uri] = (file.url, html)
    return found


def clean_site(root: Path, site_url: str) -> dict[str, bytes]:
    """All files of the site by their address: pages, what the package writes beside them, the theme's."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        build(_config(root, site_url, folder))
        found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {address: content for address, content in found.items() if address not in _DATED}


def _config(root: Path, site_url: str, site: Path) -> MkDocsConfig:
    """The configuration of the site, whose plugin keeps nothing between builds, in a process that knows nothing."""
    empty_caches()
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(site), site_url=site_url)
    acdl = config.plugins.get("acdl")
    if acdl:
        acdl.config["cache"] = False
    config.plugins.on_startup(command="build", dirty=False)
    return config
