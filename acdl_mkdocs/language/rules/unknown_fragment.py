"""Rule `unknown-fragment`: a `Frag` names a fragment that is not defined."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note, warning
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.outline import InheritedFact, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Fragment, FragUse, Node, Prompt, RoleMessage
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock


def unknown_fragment(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every `Frag` whose name is not defined in the text.

    A fence may use a fragment from elsewhere in the site: there it is a warning if the docs tool has searched the whole
    site, else a note; unless the block defines one with nearly the same name.

    ## Why
    The fragment's part would be missing from the prompt, and the figure would show a name that leads nowhere.

    ## Example
    ```acdl
    P[@T]: { U: { Frag Greting[@T] } }
    StrFrag Greeting[@T]: { HELLO }
    ```

    ## Use instead
    ```acdl
    P[@T]: { U: { Frag Greeting[@T] } }
    StrFrag Greeting[@T]: { HELLO }
    ```

    Reference: Language Reference, "Fragment Parameters and Invocation".
    """
    if not resolved.unknown_fragments or find_host_content(resolved.parsed.file).is_in_text:
        return  # unread text may define them
    fragments = resolved.fragments
    keyword = InheritedFact(build_outline(resolved.parsed.file).parents, _fitting_keyword, "RolesFrag")
    broken = resolved.broken_words() | _titles_with_frag(resolved)
    where = "not defined in this block" if config.snippet else "not defined in this file"
    if config.is_site_known:
        where = "defined on no page of this site, nor in its spec files"
    elif resolved.library.levels:
        where = "defined in none of the texts that were read"
    for use in resolved.unknown_fragments:
        if use.name.name in broken:
            continue  # its definition may be in text that was not understood
        near = find_closest(use.name.name, fragments)
        spec = next((each.node for each in resolved.definitions.get(use.name.name, ())), None)
        if spec is not None:
            related = [Label(spec.name.span, "this is a spec, not a fragment")]
            cure = f"define it as `{keyword.fact_of(use)} {spec.name.name}` to use it here"
        elif near is not None:
            related = [Label(fragments[near].name.span, "a fragment with a similar name is defined here")]
            cure = f"did you mean `{near}`?"
        else:
            related = []
            cure = f"define `{keyword.fact_of(use)} {use.name.name}[...]: {{ ... }}` at the top level of the file"
        unseen = warning if config.is_site_known else note
        report = unseen if config.snippet and near is None and spec is None else error
        yield report(
            "unknown-fragment",
            f"no fragment named `{use.name.name}`",
            Label(use.name.span, where),
            related=related,
            help=cure,
        )


def _fitting_keyword(_: Node, outer: Node) -> str | None:
    """Return the keyword of the fitting fragment: for text inside a message, for messages between them."""
    if isinstance(outer, RoleMessage):
        return "StrFrag"
    if isinstance(outer, (Fragment, Prompt)):
        return "StrFrag" if isinstance(outer, Fragment) and outer.kind == "string" else "RolesFrag"
    return None


def _titles_with_frag(resolved: Resolved) -> frozenset[str]:
    """Return the names in `Frag Name: {`, which was meant as a definition; `unknown-block` reports them."""
    titles = (block.title for block in build_outline(resolved.parsed.file).nodes_of(LabelBlock))
    return frozenset(title.name.name for title in titles if isinstance(title, FragUse))
