"""PML and LAIC for Pygments: XML, by the names that fences of pages have.

Where a fence is shown as code, as in a twin of a page or an example of how to write one. Found by its names through the
entry point of the package.
"""

from typing import ClassVar

from pygments.lexers.html import XmlLexer


class PmlLexer(XmlLexer):
    """The lexer of XML."""

    name = "PML"
    aliases: ClassVar[list[str]] = ["pml", "laic"]
    filenames: ClassVar[list[str]] = []
    mimetypes: ClassVar[list[str]] = []
    version_added = ""
