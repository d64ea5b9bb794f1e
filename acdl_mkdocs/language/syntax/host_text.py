r"""Text in a spec that belongs to another tool, which replaces it before or after the spec is read.

`--8<-- "file:section"` of `pymdownx.snippets`, `!include file` of PlantUML, `@include file`, `{!file!}`, and all of
Jinja: `{% include "file" %}`, `{{ macro("x") }}`, `{# comment #}`. The scanner finds it, so similar text in a comment
or a string does not count.

Each pattern matches a bounded number of characters or ends with the line, and none tries a character twice.
"""

import re

from acdl_mkdocs.foundation.compile_later import compile_later

_SIGNS = ("8<-", ">8-", "{{", "{%", "{!", "{#", "include", "INCLUDE", "@import", "!import")
"""A text with none of these contains no host text."""

_ROUND = r"\((?>(?:[^()]++|\([^()]*+\))*)\)"
_CURLY = r"\{(?>(?:[^{}]++|\{[^{}]*+\})*)\}"
# A role or a title is followed by a colon and a blank: then `{{` is a brace too many, and no expression of Jinja.
_INSIDE = rf"[^(){{}}:\n]|{_ROUND}|{_CURLY}|[()]|\}}(?!\}})|:(?![\s{{])|(?<=[\"']):"
_VALUE = rf"\{{\{{\s*+(?!\}}\}})(?>(?:{_INSIDE}){{1,2000}})\s*+\}}\}}"
_TAG = r"\{%(?>(?:[^%{]|%(?!\})|\{(?!%)){0,2000})%\}"
_NOTE = r"\{\#(?>(?:[^\#{]|\#(?!\})|\{(?!\#)){0,4000})\#\}"
_FILE = r"\{![^\n!{}]{1,500}+!(?:lines=[-\d ]*+)?\}"
_PIECE = rf"(?:{_VALUE}|{_TAG}|{_NOTE}|{_FILE})"
_REST = r"[^\n]*?(?=\r?$)"
_PATH = r"(?>(?:[@$]?+[^\W\d]\w*+(?>(?:\.\w++)*)\.?+|[@$])?)"
"""A path before a value of another tool. A scanner needs it, since it would read a long path again from each of its
words."""
_BLOCK = r"-++8<-++(?=\r?$)"

HOST_PATTERNS = rf"""
      (?P<HOST_LINE> ^[^\S\n]*+ (?:
          (?P<escape>;*+){_BLOCK}(?:(?>(?:\n(?![^\S\n]*+(?P=escape){_BLOCK})[^\n]*+)*)\n[^\S\n]*+(?P=escape){_BLOCK})?
        | [; \t]*+-++(?:8<|>8)-++(?=[ \t"'“\[]|\r?$){_REST}
        | !(?i:include\w*+|import)(?:[ \t]*+["'<“]|[ \t]++[^\s=<>!]){_REST}
        | @(?i:include|import)(?:[ \t]*+["'(“]|[ \t]++(?!(?:and|or|in|for|if|not)\b)[\w./~<]){_REST}
        | \#include[ \t]*+["<]{_REST}
        | {_PIECE}(?>(?:[ \t]*+{_PIECE})*)(?=[ \t]*+(?:\r?$|//))
      ))
    | (?P<HOST_VALUE> {_PATH}{_PIECE}\w*+ )
"""
"""The first patterns of the scanner, for `re.VERBOSE` and `re.MULTILINE`."""

_ANYWHERE = compile_later(HOST_PATTERNS.replace(_PATH, ""), re.VERBOSE | re.MULTILINE)
_SILENT = compile_later(
    rf"(?>(?:\s|{_NOTE}|\{{%[-+]?+\s*+(?!include|import|extends|call|filter)[^\W\d]\w*+(?>(?:[^%{{]++|%(?!\}})|\{{(?!%))*)%\}})+)"
    r"|[^\[]*\[[ \t]*(?:start|end)[ \t]*:[^\]]*\]\s*",
    re.VERBOSE | re.IGNORECASE,
)
_REMARK = compile_later(
    rf"(?>(?:\s|{_NOTE}|\{{%[-+]?\s*(?:end)?raw\s*[-+]?%\}})+)|-+8<-+[ \t]+\[[ \t]*(?:start|end)[ \t]*:[^\]]*\]\s*",
    re.VERBOSE | re.IGNORECASE,
)


_INLINE = compile_later(rf"[^{{]*+{_PIECE}.*", re.VERBOSE | re.DOTALL)


def needs_line(text: str) -> bool:
    """Return whether the other tool recognises its text only on a separate line."""
    return _INLINE.fullmatch(text) is None


def may_hold_host_text(text: str) -> bool:
    """Return whether a text has signs that another tool may look for."""
    for sign in _SIGNS:  # noqa: SIM110  # every text comes by, and a generator costs twice as much
        if sign in text:
            return True
    return False


def holds_host_text(text: str) -> bool:
    """Return whether a text seems to contain host text, without tokenizing it."""
    return may_hold_host_text(text) and _ANYWHERE.search(text) is not None


def is_never_content(text: str) -> bool:
    """Return whether host text adds no content: a comment, `{% if x %}`, the end of a section."""
    return _SILENT.fullmatch(text) is not None


def is_remark(text: str) -> bool:
    """Return whether host text adds nothing at all: a comment, or the marker of a section's start or end."""
    return _REMARK.fullmatch(text) is not None
