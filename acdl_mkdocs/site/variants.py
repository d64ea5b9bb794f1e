"""Comments such as `// variant-of: React1` that name a spec which the site does not have."""

from collections.abc import Collection, Iterator

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.language.syntax.pragmas import front_words


def names_variants(text: str) -> bool:
    """Whether a text may have such a comment; found without reading it."""
    return "variant-of" in text.lower()


def unknown_variants(source: Source, names: Collection[str]) -> Iterator[Diagnostic]:
    """The problems of a text.

    Parameters:
        source: The text.
        names: Of all specs and fragments of the site.
    """
    if not names_variants(source.text):
        return
    from acdl_mkdocs.language.syntax.tokenize import tokenize

    for comment in tokenize(source.text).comments:
        name = front_words([comment]).get("variant-of", "")
        if not name or name in names:
            continue
        at = source.text.find(name, comment.span.start, comment.span.end)
        near = closest(name, names)
        cure = f"did you mean `{near}`?" if near else "name a spec of this site, or take the comment out"
        label = Label(Span(at, at + len(name)) if at >= 0 else comment.span, "a variant of nothing")
        yield warning("unknown-variant", f"no spec or fragment of this site is named `{name}`", label, help=cure)
