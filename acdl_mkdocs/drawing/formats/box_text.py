"""The wording of boxes: what the text, HTML and JSON outputs and the summary of a picture have in common."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from acdl_mkdocs.drawing.figure.boxes import Box, call_out, plain_text, sign_text, signs_of
from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.language.syntax.words import Run

DEFINITIONS = frozenset({"prompt", "string-fragment", "roles-fragment"})
BADGES = {"string-fragment": "SF", "roles-fragment": "RF"}
TROUBLE = {"skipped": "not shown", "host-line": "not read", "broken": "not understood"}
"""Kinds of boxes for text without a meaning, and their labels."""

_SOURCE = compile_later(r"(?:// *)?<- *(?P<path>[\w./@+()\[\]-]*[\w)\]])(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?\s*")
_LINES = {"bitbucket.org": "#lines-{0}:{1}", "/-/": "#L{0}-{1}", "": "#L{0}-L{1}"}
"""Part of a repository's address, to the host's notation for several lines: GitLab has `/-/` before `blob`, and the
last is that of GitHub, Gitea and Forgejo."""
_SAFE = compile_later(r"(?:https?:|mailto:)[^\s]*|[^\s:/?#]*(?:[/?#][^\s]*)?", re.IGNORECASE)


def walk_boxes(figure: Box) -> Iterator[tuple[Box, int, bool]]:
    """Yield every box in reading order as (box, depth, is beginning), twice: before and after its children."""
    pending: list[tuple[Box, int, bool]] = [(figure, 0, True)]
    while pending:
        box, depth, is_beginning = pending.pop()
        yield box, depth, is_beginning
        if is_beginning:
            pending.append((box, depth, False))
            pending.extend([(child, depth + 1, True) for child in reversed(box.children)])


def header_text(box: Box) -> str:
    """Return the header as one string, without the comment; empty for comments."""
    if box.kind == "comment":
        return ""
    if box.kind == "mark":
        return call_out(box)
    text = make_visible(plain_text(box.header)).strip()
    if box.kind == "prompt" and not text.endswith(":"):
        return f"{text}:"
    return f"[{TROUBLE[box.kind]}] {text}".rstrip() if box.kind in TROUBLE else text


def definition_name(box: Box) -> str:
    """Return the name by which a definition is referred to."""
    for word in box.header:
        if isinstance(word, Run) and word.style in ("title", "fragment-title"):
            return word.text.partition("[")[0].strip()
    return box.anchor


def definition_anchors(figure: Box) -> dict[str, str]:
    """Map the names of the definitions in the figure to their anchors; of equal names the first counts."""
    anchors: dict[str, str] = {}
    for box in figure.children:
        if box.kind in DEFINITIONS and box.anchor:
            anchors.setdefault(definition_name(box), box.anchor)
    return anchors


def safe_href(href: str) -> str:
    """Return the address if it only opens a page, else nothing: scripts and data are not allowed in a figure."""
    href = make_visible(href).strip()
    return href if _SAFE.fullmatch(href) else ""


def target_href(target: str, anchors: Mapping[str, str], links: Mapping[str, str], id_prefix: str) -> str:
    """Return the link of a name: to its definition in the figure, else as the caller knows."""
    if target in anchors:
        return f"#{make_id(id_prefix + anchors[target])}"
    return safe_href(links.get(target, ""))


def source_href(text: str, source_url: str) -> str:
    """Return the link of a comment such as `// <- src/agent.py:12-20`; empty for other comments."""
    match = _SOURCE.fullmatch(text) if source_url else None
    if match is None or not _is_file(match["path"]):
        return ""
    from urllib.parse import quote  # most figures have no such comment

    lines = ""
    if match["first"]:
        several = next(form for mark, form in _LINES.items() if mark in source_url)
        lines = several.format(match["first"], match["last"]) if match["last"] else several.format(match["first"], "")
        lines = lines.rstrip("-L:")
    return safe_href(f"{source_url.rstrip('/')}/{quote(match['path'].removeprefix('/'), safe='/@+()')}{lines}")


def _is_file(path: str) -> bool:
    """Return whether a word is probably a file inside the repository."""
    return ("/" in path or "." in path or path.endswith("file")) and ".." not in path.split("/")


def figure_title(figure: Box) -> str:
    """Return a name for the figure."""
    names = [
        make_visible(plain_text(box.header)).strip().rstrip(":") for box in figure.children if box.kind in DEFINITIONS
    ]
    return f"ACDL: {', '.join(names)}" if names else "ACDL figure"


def summarize_figure(figure: Box, longest: int = 400) -> str:
    """Summarize the figure in whole phrases for people who cannot see it, in about `longest` characters."""
    counts = ", ".join(f"{number} {sign}" for sign, number in Counter(signs_of(figure)).items())
    marked = make_visible(figure.sign_words) or counts
    phrases: list[str] = [f"{marked}."] if marked else []
    room = longest
    was_block = True
    for box, depth, is_beginning in walk_boxes(figure):
        phrase = _box_phrase(box, depth) if is_beginning else ""
        if not phrase:
            continue
        is_block = bool(box.children) or box.kind in DEFINITIONS
        if room < len(phrase):
            phrases.append(", and more")
            break
        phrases.append((" " if was_block else ". " if is_block else ", ") + phrase)
        room -= len(phrases[-1])
        was_block = is_block
    return f"{''.join(phrases).strip(' ,').rstrip(':')}." if phrases else ""


def _box_phrase(box: Box, depth: int) -> str:
    text = header_text(box)
    if not depth or box.kind in ("comment", "mark") or not text:
        return ""
    if box.kind.startswith("role."):
        text = f"{text.removeprefix('Role:').strip()} message"
    text = f"[{sign_text(box)}] {text}" if box.sign else text
    return f"{text.rstrip(':')}:" if box.children or box.kind in DEFINITIONS else text
