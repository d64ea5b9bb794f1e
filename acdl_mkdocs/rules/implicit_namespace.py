"""Rule `implicit-namespace`: data is named without saying where it comes from."""

from collections.abc import Iterator
from functools import lru_cache

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import Outline, bound_in, is_header, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.stray import stray_content
from acdl_mkdocs.rules.unquoted_text import unquoted_text
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.edits import insertion
from acdl_mkdocs.syntax.headers import unknown_headers
from acdl_mkdocs.syntax.nodes import Arm, Content, Index, NameDef, Operation, Symbol


def implicit_namespace(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report bare words that stand for content: `user_input[@T]`, and `datetime` alone in a message.

    ## Why
    The namespace says who has the data: a reader cannot tell input from outside and notes of the agent apart without.

    ## Example
    ```acdl
    P[@T]: {
        U: user_input[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: env.user_input[@T]
    }
    ```

    Reference: Language Reference, "Context Variables".
    """
    tree = outline(resolved.parsed.file)
    loops = bound_in(tree)
    stray = {place.node for place in stray_content(resolved)}
    skipped: frozenset[int] | None = None
    for word in tree.of(Symbol):
        if word in resolved.bindings or word.name in resolved.definitions or not _is_data(word, tree):
            continue
        definition = tree.definition(word)
        is_unseen = definition is None and not word.parts  # perhaps bound by a loop around the snippet
        is_stray = not word.parts and tree.parents.get(word) in stray  # `content-outside-role` asks for a role first
        if is_unseen or is_stray or word.name in loops.get(definition, {}) or is_header(word, tree):
            continue
        skipped = explained(resolved, config) if skipped is None else skipped
        if resolved.source.line_index(word.span.start) not in skipped:
            yield _implicit(word, resolved)


def explained(resolved: Resolved, config: Config) -> frozenset[int]:
    """Lines, 0-based, about which another rule, or the parser, says something that matters more."""
    source = resolved.source
    reported = (*resolved.parsed.diagnostics, *unquoted_text(resolved, config))
    headers = (found.word or found.title for found in unknown_headers(resolved.parsed.file, source.text))
    lines: set[int] = set()
    for span in (*(found.label.span for found in reported), *headers):
        first, last = source.line_index(span.start), source.line_index(span.end)
        lines.update(range(first, last + 1))
    return frozenset(lines)


def _is_data(word: Symbol, tree: Outline) -> bool:
    """Whether the word stands for something that is sent or looked up, not for a value such as `search`."""
    parent = tree.parents.get(word)
    if word.parts:
        is_value = isinstance(parent, Arm) and parent.kind == "case"
        is_value = is_value or (isinstance(parent, NameDef) and parent.value is not word)
        return isinstance(word.parts[0], Index) and not is_value
    if isinstance(parent, Operation) and _is_sum(parent):
        parent = tree.parents.get(parent)
    return isinstance(parent, Content) and not word.name[:1].isupper()


@lru_cache(maxsize=16)  # asked again for each operand of one operation
def _is_sum(operation: Operation) -> bool:
    return set(operation.operators) == {"+"}


def _implicit(word: Symbol, resolved: Resolved) -> Diagnostic:
    written = " ".join(resolved.source.text[word.span.start : word.span.end].split())
    if word.name in resolved.named:
        target = resolved.named[word.name]
        return warning(
            "implicit-namespace",
            f"`{word.name}` has no namespace",
            Label(Span(word.span.start, word.name_end), "a reference to a `Name` begins with `$`"),
            related=[Label(target.span, "this `Name` is spelled the same")],
            help=f"did you mean `${written}`?",
            fix=Fix("refer to the `Name`", (insertion(word.span.start, "$"),), is_safe=False),
        )
    cures = [
        f"from outside the agent: `env.{written}`",
        f"kept by the agent: `sys.{written}`",
        f"said by the model: `resp.{written}`",
    ]
    if not word.parts and len(word.name) > 1:
        cures.append(f"fixed wording: `{word.name.upper()}`")
    return warning(
        "implicit-namespace",
        f"`{word.name}` has no namespace",
        Label(word.span, "where does it come from?"),
        help=cures,
    )
