"""ACDL for Pygments: any tool that highlights code with it, such as Sphinx, MkDocs or a terminal, highlights specs.

The words are those of `language/syntax/classify.py`; this maps them to the names of Pygments. Found by its name `acdl`
through the entry point of the package.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.lexers.html import XmlLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
    _TokenType,
)

from acdl_mkdocs.language.syntax.classify import Kind, classify

TOKENS: Mapping[Kind, _TokenType] = MappingProxyType(
    {
        "blank": Whitespace,
        "comment": Comment.Single,
        "keyword": Keyword,
        "role": Keyword.Type,
        "title": Name.Class,
        "fragment": Name.Class,
        "template": Name.Constant,
        "function": Name.Function,
        "namespace": Name.Namespace,
        "field": Name.Attribute,
        "path": Name,
        "index": Name.Label,
        "reference": Name.Variable,
        "string": String,
        "number": Number,
        "operator": Operator,
        "word-operator": Operator.Word,
        "punctuation": Punctuation,
        "foreign": Text,
    }
)
"""The token types of Pygments for the kinds of words."""


class AcdlLexer(Lexer):
    """A lexer that splits any text into tokens, none of which is an error."""

    name = "ACDL"
    aliases: ClassVar[list[str]] = ["acdl", "acdl-code"]
    filenames: ClassVar[list[str]] = ["*.acdl"]
    mimetypes: ClassVar[list[str]] = ["text/x-acdl"]
    version_added = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield offset, type and text of every token; together they are the whole text."""
        at = 0
        for word in classify(text):
            yield at, TOKENS[word.kind], word.text
            at += len(word.text)


class PmlLexer(XmlLexer):
    """The lexer of XML."""

    name = "PML"
    aliases: ClassVar[list[str]] = ["pml", "laic"]
    filenames: ClassVar[list[str]] = []
    mimetypes: ClassVar[list[str]] = []
    version_added = ""
