"""One message as HTML: its role, what is said about it, what it sends; of an evaluation and of a document alike."""

from collections.abc import Iterable, Iterator

from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.prompt import Role


def message_markup(
    role: Role, content: Iterable[str], *, head: Iterable[str] = (), classes: str = "", attributes: str = ""
) -> Iterator[str]:
    """A message, an item of a list; in lines.

    Parameters:
        role: Who says it.
        content: The markup of each of its parts.
        head: Markup of what is said about it, beside its role.
        classes: Further classes of the item.
        attributes: Further attributes of the item, each with a blank before it.
    """
    named = "Text without a role" if role == "none" else ROLE_WORDS[role]
    said = " ".join((f'<strong class="acdl-sent-role">{named}</strong>', *head))
    own = f"acdl-sent-message acdl-sent-{role} {classes}".rstrip()
    yield f'<li class="{own}"{attributes}>'
    yield f'<p class="acdl-sent-head">{said}</p>'
    yield '<div class="acdl-sent-pieces">'
    yield from content
    yield "</div></li>"
