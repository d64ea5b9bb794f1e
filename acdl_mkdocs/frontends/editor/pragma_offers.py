"""Completions in comments for the tools: `// acdl: range=inclusive`, `allow(rule)`, `use file.acdl`."""

import os
import re
from collections.abc import Iterator

from acdl_mkdocs.frontends.editor.completion import Offer
from acdl_mkdocs.frontends.editor.cursor import CursorPosition
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.words_about import PRAGMAS
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.pragmas import FRONT_NAMES, VALUES

_ALLOW = re.compile(r"//\s*acdl:.*\ballow\([\w\s,-]*\Z")
_SETTING = re.compile(r"//\s*acdl:.*?(?<![\w-])-*+(?P<name>\w[\w-]*+)=[\w-]*\Z")
_VARIANT = re.compile(r"//\s*variant-of:\s*\w*\Z")
_USE = re.compile(r"//\s*acdl:\s*use\s+\"?\S*\Z")
_ACDL = re.compile(r"//\s*acdl:(?:.*[\s,])?\w*\Z")
_BEGUN = re.compile(r"//\s*\w*\Z")


def pragma_offers(cursor: CursorPosition, workspace: Workspace, document: Document) -> Iterator[Offer]:
    """Yield the offers for the comment at the cursor; none in a comment for readers."""
    comment = cursor.comment or ""
    if _ALLOW.match(comment):
        yield from _offer_rules(cursor)
    elif setting := _SETTING.match(comment):
        for value in VALUES.get(setting["name"], ()):
            if _is_prefix_match(value, cursor):
                yield Offer(value, "value", _cut_typed_part(value, cursor), "0")
    elif _VARIANT.match(comment):
        yield from (Offer(name, "spec", name, f"0{name}") for name in sorted(workspace.spec_names))
    elif _USE.match(comment):
        yield from _offer_files(cursor, workspace, document)
    elif _ACDL.match(comment):
        yield from _offer_pragmas()
    elif _BEGUN.match(comment):
        yield Offer("acdl:", "keyword", "acdl: $0", "0", True, "a comment for the tools")
        for name in FRONT_NAMES:
            yield Offer(f"{name}:", "option", f"{name}: $0", "1", True, "a comment about the spec")


def _offer_pragmas() -> Iterator[Offer]:
    for name, about in PRAGMAS.items():
        insert = {"range": "range=$0", "allow": "allow($0)"}.get(name, f"{name} $0")
        yield Offer(name, "option", insert, "0", True, about)


def _offer_rules(cursor: CursorPosition) -> Iterator[Offer]:
    """Yield rule names; the typed part of a name may have hyphens."""
    for rule in RULES:
        if _is_prefix_match(rule, cursor):
            yield Offer(rule, "rule", _cut_typed_part(rule, cursor), f"0{rule}")


def _typed_prefix(cursor: CursorPosition) -> str:
    """Return the typed part of a hyphenated word before the plain word at the cursor."""
    line = cursor.text[max(0, cursor.start - 80) : cursor.start]
    match = re.search(r"(?<![\w-])[\w-]*\Z", line)
    return match[0] if match else ""


def _is_prefix_match(word: str, cursor: CursorPosition) -> bool:
    return word.startswith(_typed_prefix(cursor))


def _cut_typed_part(word: str, cursor: CursorPosition) -> str:
    """Return the part of a word that replaces its last component: after `nested-`, `nested-role` writes `role`."""
    return word[len(_typed_prefix(cursor)) :]


def _offer_files(cursor: CursorPosition, workspace: Workspace, document: Document) -> Iterator[Offer]:
    """Yield the other files of the workspace, by their path from this one."""
    if document.path is None:
        return
    typed = re.search(r"(?<!\S)\S*\Z", cursor.text[max(0, cursor.start - 400) : cursor.start])
    begun = typed[0].lstrip('"') if typed else ""
    for other in workspace.documents.values():
        if other.language != "acdl" or other.path is None or other.uri == document.uri:
            continue
        name = os.path.relpath(other.path, document.path.parent).replace(os.sep, "/")
        if name.startswith(begun):
            yield Offer(name, "value", name[len(begun) :], f"0{name}")
