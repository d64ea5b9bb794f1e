"""Count the specs and fragments of a text without a parser, so that cached texts are counted too."""

from collections.abc import Iterable

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.letters import LETTER
from acdl_mkdocs.workspace.read_block import WITHOUT_INDICES, BlockText

_PART = compile_later(r'//[^\n]*|#(?!msg\b)[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|"[^"\n]*"|[{}]')
_TITLE = compile_later(
    rf"(?P<indent>[ \t]*)(?:(?P<fragment>StrFrag|RolesFrag|RoleFrag|Fragment)\s+|Prompt\s+)?"
    rf"(?P<name>[^\W\d]{LETTER}*+)[ \t]*+(?P<indices>\[[^\]]*\])?[ \t]*+:?"
)


def describe_counts(texts: Iterable[BlockText], n_blocks: int) -> str:
    """Describe the numbers of specs, fragments and other blocks of pages."""
    counts = [(1, 0) if text.options.spec else count_definitions(text.source.text) for text in texts]
    n_specs, n_fragments = (sum(each[which] for each in counts) for which in (0, 1))
    parts = [format_count(n_specs, "spec")] if n_specs or not (n_fragments or n_blocks) else []
    parts += [format_count(n_fragments, "fragment")] if n_fragments else []
    parts += [format_count(n_blocks, "block")] if n_blocks else []
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def count_definitions(text: str) -> tuple[int, int]:
    """Count the specs and fragments at the top level of a text; a text without a title is a spec."""
    counts = [0, 0]
    depth = end = 0
    for part in _PART.finditer(text):
        if part[0] == "{":
            title = _TITLE.fullmatch(text[end : part.start()].rstrip().rpartition("\n")[2])
            is_next = title is not None and bool(title["indices"]) and not title["indent"]
            if title is not None and (depth == 0 or is_next):  # a block before it may lack its `}`
                depth = 0
                counts[bool(title["fragment"])] += (
                    bool(title["indices"]) or title["name"].lower() not in WITHOUT_INDICES
                )
            depth += 1
        elif part[0] == "}":
            depth = max(depth - 1, 0)
        end = part.end()
    specs, fragments = counts
    return (specs, fragments) if specs or fragments else (1, 0)
