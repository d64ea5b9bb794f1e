"""A page that was made and not written: Markdown with front matter, which any docs tool renders."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.site.prose import front_value


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """One page of a playbook."""

    name: str
    """What its address ends in: `index`, `changes`, `section-tool_usage`."""
    title: str
    """As it is written, not escaped."""
    markdown: str


def front(title: str, about: str = "") -> str:
    """The front matter of a page."""
    lines = [f"title: {front_value(title)}", *([f"description: {front_value(about)}"] if about else [])]
    return "\n".join(["---", *lines, "---"])
