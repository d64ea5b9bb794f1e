"""What comments say to the tools: `// acdl: range=inclusive`, and the front matter `// title: ...` of a file."""

import re

from acdl_mkdocs.syntax.nodes import Comment, File

_PRAGMA = re.compile(r"acdl:\s*(.*)")
_SETTING = re.compile(r"([\w-]+)\s*[=(]\s*([\w-]+)\)?")
_FRONT = re.compile(r"(title|tags|source|see|variant-of)\s*:\s*(.+)", re.IGNORECASE)


def pragmas(file: File) -> dict[str, str]:
    """Settings that comments at the top level give, such as `{"range": "inclusive"}`; the first of a name counts."""
    found: dict[str, str] = {}
    for item in file.items:
        match = _PRAGMA.match(item.text) if isinstance(item, Comment) else None
        for name, value in _SETTING.findall(match.group(1)) if match else ():
            found.setdefault(name, value)
    return found


def front_matter(file: File) -> dict[str, str]:
    """Title, tags, source, ... from the comments before the first definition; names in lower case."""
    found: dict[str, str] = {}
    for item in file.items:
        if not isinstance(item, Comment):
            break
        match = _FRONT.fullmatch(item.text)
        if match:
            found.setdefault(match.group(1).lower(), match.group(2).strip())
    return found


def is_for_tools(comment: Comment) -> bool:
    """Whether a comment speaks to the tools and not to readers of the figure."""
    return _PRAGMA.match(comment.text) is not None
