"""The names of fragments in a text: those that it uses, that it defines, and that it may mean.

Found without a parser, so that thousands of texts can be searched for them. Knows no files and no other texts.
"""

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.language.syntax.letters import LETTER, canonical
from acdl_mkdocs.site.remembered import remembered

_USE = compile_later(rf"\bFrag\s+({LETTER}+)")
_DEFINITION = compile_later(rf"\b(?:StrFrag|RolesFrag|RoleFrag|Fragment)\s+({LETTER}+)")
_WORD = compile_later(rf"//[^\n]*|[.$@]{LETTER}+|({LETTER}+)")

_N_REMEMBERED = 4096
"""So many texts are searched only once."""


@remembered(_N_REMEMBERED)
def used(words: str) -> dict[str, None]:
    """The names of fragments that a text uses, in order."""
    return dict.fromkeys(map(canonical, _USE.findall(words))) if "Frag" in words else {}


@remembered(_N_REMEMBERED)
def defined(words: str) -> dict[str, None]:
    """The names of fragments that a text defines, in order."""
    return dict.fromkeys(map(canonical, _DEFINITION.findall(words))) if "Frag" in words else {}


@remembered(_N_REMEMBERED)
def mentioned(words: str) -> dict[str, None]:
    """The words of a text that may mean fragments, in order: those of comments, fields and `$names` do not."""
    found = dict.fromkeys(filter(None, _WORD.findall(words)))
    return found if words.isascii() else dict.fromkeys(map(canonical, found))
