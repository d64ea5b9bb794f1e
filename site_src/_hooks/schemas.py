"""MkDocs hook of this project's own site: the schemas of PML stand beside the page about documents."""

from importlib.resources import files as resources

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

NAMES = ("pml-1.rng", "pml-1.xsd")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the schemas as they are in the package."""
    assets = resources("acdl_mkdocs") / "assets"
    for name in NAMES:
        files.append(File.generated(config, f"pml/{name}", content=(assets / name).read_text("utf-8")))
    return files
