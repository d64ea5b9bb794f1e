"""Settings of a small manual with figures of contexts; build it with `sphinx-build examples/sphinx-project out`."""

project = "Support agent"
author = "The authors"
project_copyright = "2026, The authors"
version = release = "1.0"

extensions = ["myst_parser", "acdl_mkdocs.sphinx"]
myst_enable_extensions = ["colon_fence"]
numfig = True

acdl = {
    "source_url": "https://github.com/example/support-agent/blob/main",
}
