"""One spec of a text to compare: it and the fragments that it uses, without the other definitions of its file.

What comments above a definition say is about that definition, so it is no difference between two of them; that they are
called otherwise is none either.
"""

from collections.abc import Iterable
from dataclasses import replace

from acdl_mkdocs.comparison.edits import Difference, Edit
from acdl_mkdocs.language.syntax.nodes import Comment, Fragment, FragUse, Prompt, walk
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.pragmas import is_for_tools


def definition_names(parsed: Parsed) -> tuple[str, ...]:
    """The names of all specs and fragments of a text, in order and each once."""
    items = parsed.file.items
    return tuple(dict.fromkeys(item.name.name for item in items if isinstance(item, Prompt | Fragment)))


def only(parsed: Parsed, name: str) -> Parsed:
    """A text with one definition and the fragments of the text that it leads to; places stay those of the whole.

    Raises:
        KeyError: The text does not define it.
    """
    definitions: dict[str, Prompt | Fragment] = {}
    for item in parsed.file.items:
        if isinstance(item, Prompt | Fragment):
            definitions.setdefault(item.name.name, item)
    waiting, wanted = [definitions[name]], {definitions[name]}
    while waiting:
        for node in walk(waiting.pop()):
            used = definitions.get(node.name.name) if isinstance(node, FragUse) else None
            if isinstance(used, Fragment) and used not in wanted:
                wanted.add(used)
                waiting.append(used)
    kept = tuple(
        item for item in parsed.file.items if item in wanted or (isinstance(item, Comment) and is_for_tools(item))
    )
    return replace(parsed, file=replace(parsed.file, items=kept))


def without_title(difference: Difference, old: str, new: str) -> Difference:
    """A difference between two specs, without what everybody knows: their names.

    What comments of their files say to the tools is in the edits, if it matters.
    """
    comments = tuple(each for each in difference.comments if not all(map(is_for_tools, (*each.old, *each.new))))
    return replace(difference, edits=tuple(_edits(difference.edits, old, new)), comments=comments)


def _edits(edits: Iterable[Edit], old: str, new: str) -> Iterable[Edit]:
    for edit in edits:
        if edit.kind != "renamed" or not isinstance(edit.new, Prompt | Fragment):
            yield edit
            continue
        left = tuple(each for each in edit.changes if (each.what, each.old, each.new) != ("name", old, new))
        if left:
            yield replace(edit, changes=left)
