"""What `pymdownx.snippets` includes, put into the text of a page by that extension itself.

For texts that are not rendered but handed on, such as the Markdown twin of a page, and for those that are read before
the pages are rendered.
"""

import re
from collections.abc import Iterable, Mapping

from markdown import Markdown

from acdl_mkdocs.foundation.compile_later import compile_later

_NAME = "pymdownx.snippets"
_ADDRESS = compile_later(r"""-8<-+[ \t]+["']https?:|^[ \t]*https?:\S*[ \t]*$""", re.IGNORECASE | re.MULTILINE)


def reader_of(extensions: Iterable[str], configs: Mapping[str, Mapping[str, object]]) -> Markdown | None:
    """A renderer that does nothing but include files, for `with_snippets_ahead`; `None` if the site has no snippets.

    It fetches nothing from the net, and a file that does not exist is left out: the build says so later.

    Parameters:
        extensions: The Markdown extensions of the site.
        configs: Their settings.
    """
    name = next((each for each in extensions if str(each).partition(":")[0] == _NAME), None)
    if name is None:
        return None
    given = {**configs.get(name, {}), "check_paths": False, "url_download": False, "auto_append": []}
    return Markdown(extensions=[name], extension_configs={name: given})


def with_snippets(markdown: str, md: Markdown) -> str:
    """The text of a page with the files that it includes; as it is if the site has no snippets.

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


def with_snippets_ahead(markdown: str, md: Markdown | None) -> str | None:
    """The same for a text that is read before its page is rendered; `None` where that cannot be known then.

    Parameters:
        markdown: The page, front matter included.
        md: What `reader_of` has given.
    """
    if md is None or "8<-" not in markdown or _ADDRESS.search(markdown):
        return None
    return with_snippets(markdown, md)
