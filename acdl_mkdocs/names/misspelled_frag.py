"""`Frga Doc[1]`: the misspelled keyword of a fragment, which is read as two contents."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.names.outline import outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import Content, Index, Symbol, Template, children

_KEYWORDS = ("Frag", "Fragment")


@dataclass(frozen=True, slots=True)
class MisspelledFrag:
    """A word before the name of a fragment."""

    word: Symbol | Template
    use: Symbol | Template
    """The name of the fragment, with its arguments."""

    @property
    def span(self) -> Span:
        """Both."""
        return Span(self.word.span.start, self.use.span.end)


def misspelled_frags(resolved: Resolved) -> list[MisspelledFrag]:
    """The words like `Frag` that stand on one line before the name of a fragment, or before a name with arguments."""
    tree = outline(resolved.parsed.file)
    found = []
    words: list[Symbol | Template] = [*tree.of(Symbol), *tree.of(Template)]
    for word in words:
        content = tree.parents.get(word)
        if word.name[0] not in "Ff" or word.parts or not isinstance(content, Content):
            continue
        siblings = children(tree.parents[content])
        at = siblings.index(content) + 1
        after = siblings[at] if at < len(siblings) else None
        use = after.value if isinstance(after, Content) else None
        if not isinstance(use, Symbol | Template) or word in resolved.bindings:
            continue
        is_used = resolved.fragment_named(use.name) or (use.parts and isinstance(use.parts[0], Index))
        if not is_used or not use.name[0].isupper() or not closest(word.name, _KEYWORDS):
            continue
        if not resolved.source.text[word.span.end : use.span.start].strip(" \t"):
            found.append(MisspelledFrag(word, use))
    return found
