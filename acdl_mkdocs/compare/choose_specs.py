"""The choice of the specs to compare in two texts."""

from collections.abc import Iterable
from dataclasses import replace

from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.edits import Difference, Edit
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Comment, Fragment, FragUse, Prompt, walk
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.pragmas import is_for_tools


def definition_names(parsed: Parsed) -> tuple[str, ...]:
    """Return the names of all specs and fragments of a text, in order and without repetition."""
    items = parsed.file.items
    return tuple(dict.fromkeys(item.name.name for item in items if isinstance(item, (Prompt, Fragment))))


def select_definition(parsed: Parsed, name: str) -> Parsed:
    """Return a text with one definition and the fragments that it leads to; places stay those of the whole text.

    Raises:
        KeyError: The text does not define it.
    """
    definitions: dict[str, Prompt | Fragment] = {}
    for item in parsed.file.items:
        if isinstance(item, (Prompt, Fragment)):
            definitions.setdefault(item.name.name, item)
    stack, wanted = [definitions[name]], {definitions[name]}
    while stack:
        for node in walk(stack.pop()):
            used = definitions.get(node.name.name) if isinstance(node, FragUse) else None
            if isinstance(used, Fragment) and used not in wanted:
                wanted.add(used)
                stack.append(used)
    statements = tuple(
        item for item in parsed.file.items if item in wanted or (isinstance(item, Comment) and is_for_tools(item))
    )
    return replace(parsed, file=replace(parsed.file, items=statements))


def without_title(difference: Difference, old: str, new: str) -> Difference:
    """Return the difference between two specs without their names, which are known to differ.

    Comments of their files for the tools are in the edits, if they matter.
    """
    comments = tuple(each for each in difference.comments if not all(map(is_for_tools, (*each.old, *each.new))))
    return replace(difference, edits=tuple(_drop_name_edits(difference.edits, old, new)), comments=comments)


def _drop_name_edits(edits: Iterable[Edit], old: str, new: str) -> Iterable[Edit]:
    for edit in edits:
        if edit.kind != "renamed" or not isinstance(edit.new, (Prompt, Fragment)):
            yield edit
            continue
        left = tuple(each for each in edit.changes if (each.what, each.old, each.new) != ("name", old, new))
        if left:
            yield replace(edit, changes=left)


def diff_specs(
    old: Parsed,
    new: Parsed,
    spec: str | None = None,
    new_spec: str | None = None,
    modes: tuple[RangeMode, RangeMode] = ("half-open", "half-open"),
    resolved: tuple[Resolved, Resolved] | None = None,
) -> Difference:
    """Compare two texts, or two definitions with the fragments that they use.

    Different names of two compared definitions are not a difference between them.

    Parameters:
        old: The old text.
        new: The new text.
        spec: A definition of the old text; without any name, the whole texts are compared.
        new_spec: A definition of the new text; by default the counterpart of the old one.
        modes: How `range(a, b)` is read on both sides by default.
        resolved: Both texts with the texts that they use.

    Raises:
        UnknownSpecError: A text has no definition of that name.
    """
    if spec is None and new_spec is None:
        return diff(old, new, modes[0], new_mode=modes[1], resolved=resolved)
    one = require_definition(old, spec) if spec is not None else find_counterpart(new_spec or "", new, old)
    other = require_definition(new, new_spec) if new_spec is not None else find_counterpart(spec or "", old, new)
    sides, same = (select_definition(old, one), select_definition(new, other)), (one, other)
    difference = diff(*sides, modes[0], new_mode=modes[1], same=same, resolved=resolved)
    return difference if spec is None or new_spec is None else without_title(difference, one, other)


def require_definition(parsed: Parsed, name: str) -> str:
    """Return the name if the text defines it.

    Raises:
        UnknownSpecError: It does not.
    """
    names = definition_names(parsed)
    if name in names:
        return name
    near = find_closest(name, names)
    listed = ", ".join(f"`{each}`" for each in names)
    hint = f"did you mean `{near}`?" if near else f"there are {listed}" if names else "it has none with a title"
    raise UnknownSpecError(f"{parsed.source.name or 'the text'} has no spec `{name}`; {hint}")


def find_counterpart(name: str, old: Parsed, new: Parsed) -> str:
    """Return the name of a definition in the other text: the same, its new name, or the only one there.

    Raises:
        UnknownSpecError: It no longer exists, and its new name cannot be determined.
    """
    names = definition_names(new)
    if name in names:
        return name
    for edit in diff(old, new).edits:
        for change in edit.changes:
            is_title = isinstance(edit.new, (Prompt, Fragment)) and change.what == "name"
            if edit.kind == "renamed" and is_title and change.old == name:
                return change.new
    prompts = [item.name.name for item in new.file.items if isinstance(item, Prompt)]
    return prompts[0] if len(prompts) == 1 else require_definition(new, name)


def first_spec(parsed: Parsed) -> str | None:
    """Return the name of the first spec of a text; `None` for a text without a title."""
    return next((item.name.name for item in parsed.file.items if isinstance(item, Prompt)), None)
