"""Rule `undocumented-spelling`: something is understood that the reference spells in another way."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.loop_spellings import loop_spellings
from acdl_mkdocs.language.syntax.nodes import (
    Broken,
    BrokenBlock,
    Comprehension,
    ForEach,
    Group,
    NameDef,
    Operation,
    TimeIndex,
)
from acdl_mkdocs.language.syntax.spellings import (
    IN_BRACKETS,
    Spelling,
    assignment_spellings,
    comment_spellings,
    find_spellings,
    time_spellings,
)
from acdl_mkdocs.language.syntax.tokenize import tokenize


def undocumented_spelling(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report keywords, roles, loops, titles, signs and comments in a spelling that the reference does not have.

    An assignment without its `Name`, `docs = find(x)`, is reported too. The figure is the same. `acdl format` and
    `acdl check --fix` write the spelling of the reference. The rule ignores `RoleFrag`, `and`, `or`, `not`, curly
    quotes, `≤` and the like, and the colons of `Switch`, `Case` and `Default`.

    ## Why
    One spelling is easier to read and to search for, and other tools know only that one.

    ## Example
    ```acdl
    P[@T] {
        system: INSTRUCTIONS
        for doc in env.documents[@T] {
            user: env.content[doc]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
        ForEach(doc: env.documents[@T]) {
            U: env.content[doc]
        }
    }
    ```

    Reference: Language Reference, "Role Messages".
    """
    source = resolved.source
    cut = tokenize(source.text)
    tree = build_outline(resolved.parsed.file)
    loops: list[ForEach | Comprehension] = [*tree.nodes_of(ForEach), *tree.nodes_of(Comprehension)]
    is_inclusive = range_mode(resolved, config) == "inclusive"
    spellings = [
        *find_spellings(source.text, cut),
        *assignment_spellings(source, tree.nodes_of(NameDef)),
        *comment_spellings(source.text, cut),
        *(time_spellings(source, _time_expressions(tree)) if IN_BRACKETS.search(source.text) else ()),
        *loop_spellings(source.text, cut, loops, is_inclusive=is_inclusive),
    ]
    skipped = _misread_lines(resolved) if spellings else frozenset()
    for each in spellings:
        if source.line_index(each.span.start) not in skipped:
            yield _report_spelling(each, can_be_fixed=not resolved.parsed.diagnostics)


def _time_expressions(outline: Outline) -> list[TimeIndex | Operation | Group]:
    return [*outline.nodes_of(TimeIndex), *outline.nodes_of(Operation), *outline.nodes_of(Group)]


def _misread_lines(resolved: Resolved) -> frozenset[int]:
    """Return the lines for which something more important is reported."""
    tree, source = build_outline(resolved.parsed.file), resolved.source
    lines = set(find_explained_lines(resolved))
    for node in tree.nodes_of(Broken):
        lines.update(range(source.line_index(node.span.start), source.line_index(node.span.end) + 1))
    lines.update(source.line_index(node.span.start) for node in tree.nodes_of(BrokenBlock))
    return frozenset(lines)


def _report_spelling(each: Spelling, *, can_be_fixed: bool) -> Diagnostic:
    message, why, cure = each.reason or (
        f"`{each.text}` is not the documented spelling",
        f"documented as `{each.documented}`",
        f"write `{each.documented}`",
    )
    fix = Fix(cure, each.edits, is_safe=each.is_safe) if each.edits and can_be_fixed else None
    return note("undocumented-spelling", message, Label(each.span, why), help=cure, fix=fix)
