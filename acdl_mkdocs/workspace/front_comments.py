"""Assign the comments of a text to its definitions: those directly above each, and those at the top."""

from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import Comment, File, Fragment, Node, Prompt
from acdl_mkdocs.language.syntax.pragmas import front_words

SINGLE_SPEC_FIELDS = ("variant-of", "runs", "requests")
"""Fields that apply to one definition only."""
_OF_PROMPTS = ("runs", "requests")


@dataclass(frozen=True, slots=True)
class DefinitionComments:
    """The comments of a text by definition."""

    definitions: tuple[Prompt | Fragment, ...]
    above: Mapping[Node, list[Comment]]
    """Those directly above each definition."""
    head: list[Comment]
    """Those at the top of the file."""
    single_definition: Prompt | Fragment | None
    """The definition that single-definition fields at the top apply to, if there is one."""

    def find_fields(self, node: Prompt | Fragment) -> dict[str, str]:
        """Return the fields of a definition by name; with several definitions, none has the title of the file."""
        others = (("title",) if len(self.definitions) > 1 else ()) + (
            () if node is self.single_definition else SINGLE_SPEC_FIELDS
        )
        shared = {name: value for name, value in front_words(self.head).items() if name not in others}
        return {**shared, **front_words(self.above[node])}

    def find_unattributed(self) -> Iterator[tuple[str, Comment]]:
        """Yield comments at the top and above fragments with fields of one spec that apply to none."""
        lost = [(name, each) for each in self.head for name in front_words([each]) if not self._can_apply(name)]
        for node in self.definitions:
            if isinstance(node, Fragment):
                lost += [
                    (name, each) for each in self.above[node] for name in front_words([each]) if name in _OF_PROMPTS
                ]
        yield from ((name, each) for name, each in lost if name in SINGLE_SPEC_FIELDS)

    def _can_apply(self, name: str) -> bool:
        """Return whether a field can apply; fragments are never sent, so they have no runs."""
        definition = self.single_definition
        return definition is not None and (name not in _OF_PROMPTS or isinstance(definition, Prompt))


def find_definition_comments(file: File, source: Source) -> DefinitionComments:
    """Assign the comments of a text."""
    items = file.items
    definitions = tuple(item for item in items if isinstance(item, (Prompt, Fragment)))
    if not definitions:
        return DefinitionComments((), {}, [], None)
    above: dict[Node, list[Comment]] = {
        item: _right_above(items, at, source) for at, item in enumerate(items) if isinstance(item, (Prompt, Fragment))
    }
    first = definitions[0]
    head = [item for item in items if isinstance(item, Comment) and item.span.end <= first.span.start]
    of_first = set(above[first])
    own = [comment for comment in head if comment not in of_first]
    prompts = [each for each in definitions if isinstance(each, Prompt)]
    alone = prompts if len(prompts) == 1 else definitions if len(definitions) == 1 else ()
    single_definition = next(iter(alone), None)
    if own or not front_words(above[first]):
        return DefinitionComments(definitions, above, own, single_definition)
    # If the only comments are directly above the first definition, single-definition fields apply to it.
    head = [comment for comment in above[first] if front_words([comment])]
    above[first] = [comment for comment in above[first] if not front_words([comment])]
    return DefinitionComments(definitions, above, head, single_definition or first)


def _right_above(items: Sequence[Node], at: int, source: Source) -> list[Comment]:
    """Return the comments directly above the definition at an index, without an empty line between."""
    comments: list[Comment] = []
    line = source.line_index(items[at].span.start)
    while at > 0 and isinstance(each := items[at - 1], Comment):
        if source.line_index(max(each.span.end - 1, each.span.start)) != line - 1:
            break
        comments.append(each)
        line = source.line_index(each.span.start)
        at -= 1
    comments.reverse()
    return comments
