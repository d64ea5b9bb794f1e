"""Recognise text that was never meant to be ACDL, so that it costs one message and not one a line."""

import re

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import File, ForEach, Fragment, FragUse, If, NameDef, Prompt, RoleMessage, Switch

_ROLE = compile_later(
    r"^[^\S\n]*(?:role[ \t]*[:=][ \t]*(?:system|user|assistant|tool|none)|\[(?:system|user|assistant|tool)\])"
    r"[ \t]*+:?[ \t]*+(?://[^\n]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = compile_later(
    r"^[^\S\n]*(?:for[ \t]*each[ \t]+@?\w+[ \t]*(?::|∈|in\b)|(?:else[ \t]*)?if\b|switch\b|else[ \t]*:?$)[^\n{}]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = compile_later(r"\A\s*+[^\W\d]\w*+[ \t]*+\[[^\]\n]*\][ \t]*+:?[ \t]*+$", re.MULTILINE)
_BRACE = compile_later(r"\{[^\S\n]*(?://[^\n]*)?$|\{[^{}\n]*\}|^[^\S\n]*\}", re.MULTILINE)
_LONGEST = 200_000
"""Limit of characters of a text to look at."""


def looks_like_drawing(text: str) -> bool:
    """Return whether a text has the lines of a drawing, and hardly any braces."""
    text = text[:_LONGEST].replace("\r", "")
    n_drawn = len(_ROLE.findall(text))
    if not n_drawn and not _TITLE.match(text.lstrip("\ufeff")):
        n_heads = len(_HEAD.findall(text))
        return n_heads > 1 and not _BRACE.search(text) and bool(_DRAWN_RANGE.search(text))
    return n_drawn + len(_HEAD.findall(text)) > len(_BRACE.findall(text))


_DRAWN_RANGE = compile_later(
    r"^[^\S\n]*for[ \t]*each[ \t]+@?\w+[ \t]*:[^\n{}(]*(?:\.\.|…)", re.IGNORECASE | re.MULTILINE
)


_KNOWN = (Prompt, Fragment, RoleMessage, ForEach, If, Switch, NameDef, FragUse)
_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("JSON", compile_later(r'[\[{]\s*(?:"[^"\n]*"\s*[:,\]]|\{\s*")|\{\s*\}|\[\s*\]')),
    ("XML or HTML", compile_later(r"<[!?]?[A-Za-z][^<>\n]*>")),
    ("Python", compile_later(r"(?:from \w[\w.]* import|import \w|def \w+\(|class \w+[(:]|@\w+\n)")),
    (
        "Mermaid",
        compile_later(r"(?:sequenceDiagram|(?:graph|flowchart)[ \t]+(?:TB|TD|BT|RL|LR)|stateDiagram(?:-v2)?)\b"),
    ),
    ("YAML", compile_later(r"(?:---\n)?[a-z_]\w*:[ \t]*(?:\n\s*- |\n\s+\w+: |[^\s{][^\n{]*\n[a-z_]\w*:)")),
    ("Markdown", compile_later(r"#{1,6} [^\n]*\n\s*\n|[-*+] \S|\d+\. \S|>\s|\|.*\|\n|```")),
    ("plain text", compile_later(r"(?:[^\W\d_]++,? ){3}[^\W\d_]++[ .,;:!?'’\n]")),
)
_CERTAIN = ("JSON", "XML or HTML", "Python", "Mermaid")
"""Formats whose first words no spec begins with."""


def other_language(source: Source, file: File) -> Diagnostic | None:
    """Return one diagnostic for a whole text that contains no ACDL and reads like something else."""
    if looks_like_drawing(source.text):
        return _report_drawing(source)
    text = source.text.lstrip("\ufeff \t\r\n")
    language = next((name for name, pattern in _FORMATS if pattern.match(text)), None)
    if language is None or (language not in _CERTAIN and any(isinstance(item, _KNOWN) for item in file.items)):
        return None
    start = source.text.find(text[:1]) if text else 0
    end = source.text.find("\n", start)
    return error(
        "not-acdl",
        f"this is {language}, not ACDL" if language != "plain text" else "this is plain text, not ACDL",
        Label(Span(start, len(source.text[: end if end >= 0 else None].rstrip())), f"reads like {language}"),
        help="a spec is written `Name[@T]: { S: INSTRUCTIONS U: env.query[@T] }`",
    )


def _report_drawing(source: Source) -> Diagnostic:
    """Return one diagnostic for a drawn spec, of which a parser understands nothing."""
    start = len(source.text) - len(source.text.lstrip("\ufeff \t\r\n"))
    end = source.text.find("\n", start)
    span = Span(start, len(source.text[: end if end >= 0 else None].rstrip()))
    return error(
        "drawn-form",
        "this is the drawn form of a spec, not ACDL",
        Label(span, "a drawing nests by indentation and has no braces"),
        help="`acdl convert --from drawing FILE` writes it as ACDL",
    )
