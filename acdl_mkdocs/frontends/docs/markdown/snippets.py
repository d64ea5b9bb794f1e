"""Files included by `pymdownx.snippets`, inserted into the text of a page by that extension itself.

For texts that are not rendered, such as the Markdown copy of a page, and for those that are read before
the pages are rendered.
"""

import re
from collections.abc import Iterable, Mapping

from markdown import Markdown

from acdl_mkdocs.foundation.compile_later import compile_later

_NAME = "pymdownx.snippets"
_ADDRESS = compile_later(r"""-8<-+[ \t]+["']https?:|^[ \t]*https?:\S*[ \t]*$""", re.IGNORECASE | re.MULTILINE)


def reader_of(extensions: Iterable[str], configs: Mapping[str, Mapping[str, object]]) -> Markdown | None:
    """Return a renderer that only includes files, for `include_snippets_ahead`; `None` if the site has no snippets.

    It fetches nothing from the net, and skips a file that does not exist: the build reports that later.

    Parameters:
        extensions: The Markdown extensions of the site.
        configs: Their settings.
    """
    name = next((each for each in extensions if str(each).partition(":")[0] == _NAME), None)
    if name is None:
        return None
    config = {**configs.get(name, {}), "check_paths": False, "url_download": False, "auto_append": []}
    return Markdown(extensions=[name], extension_configs={name: config})


def include_snippets(markdown: str, md: Markdown) -> str:
    """Return the text of a page with the files that it includes; unchanged if the site has no snippets.

    Parameters:
        markdown: The page without front matter.
        md: A renderer with the extensions and the settings of the site.

    Raises:
        pymdownx.snippets.SnippetMissingError: A file does not exist and the site's `check_paths` is set.
    """
    name = "snippet"
    if name not in md.preprocessors:
        return markdown
    return "\n".join(md.preprocessors[name].run(markdown.split("\n")))


def include_snippets_ahead(markdown: str, md: Markdown | None) -> str | None:
    """Do the same for a text that is read before its page is rendered; return `None` if that is not possible.

    Parameters:
        markdown: The page, front matter included.
        md: The renderer of `reader_of`.
    """
    if md is None or "8<-" not in markdown or _ADDRESS.search(markdown):
        return None
    return include_snippets(markdown, md)
