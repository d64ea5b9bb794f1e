"""What `pymdownx.snippets` includes, put into the text of a page by that extension itself.

For texts that are not rendered but handed on, such as the Markdown twin of a page.
"""

from markdown import Markdown


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
