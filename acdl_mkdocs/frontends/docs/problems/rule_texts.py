"""The documentation of a problem as text: Markdown for a site, text for a terminal, an object for programs."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from acdl_mkdocs.foundation.markdown import code_fence, escape_cell
from acdl_mkdocs.foundation.reports import REPORTS, ReportOptions, RuleText
from acdl_mkdocs.frontends.docs.problems.rule_pages import CodeSample, Kind, PageSection, RulePage, all_names, rule_page

GROUPS: dict[Kind, str] = {
    "rule": "Rules for specs",
    "text": "Texts that cannot be read",
    "block": "Blocks in a page",
    "state": "States",
    "evaluation": "Prompts built from a state",
    "playbook": "Playbooks",
    "pml": "PML and LAIC",
    "drawing": "Drawings",
}
"""Heading of each group of the catalogue."""

DOCUMENTS = {
    "Language Reference": "http://www.acdlang.org",
    "A Language for Describing Agentic LLM Contexts": "https://doi.org/10.1145/3786335.3813126",
}
"""Addresses of the documents that define the language."""
_UNSAFE = "--unsafe"
"""The option of `acdl check --fix` that also changes the possible meaning of a spec."""
_CURES = {"": "no", "safe": "yes", "unsafe": f"with `{_UNSAFE}`"}
_CODE = re.compile(r"`([a-z-]+)`")
_COLORS = {"1;31": "error", "1;33": "warning", "1;36": "note", "1;34": "gutter"}
_COLORED_TEXT = re.compile("\x1b\\[(?P<color>1;3\\d)m(?P<text>[^\x1b]*)\x1b\\[0m")
_MARKED_LABEL = re.compile("(?P<color>\x1b\\[1;3\\dm)(?P<marks>[\\^-]+)(?P<label> [^\x1b]+)\x1b\\[0m$")
"""The end of a line of marks that also has their label."""
_WORDS_BEFORE = re.compile(r"(?P<head>\w+\[[\w-]+\]: )| += \w+: ")
"""The beginning of a line of words: the message, or one of the notes below the excerpt."""
_PLAIN = "\x1b[0m"
_INDENT = "  "
_HANG = 2
"""Columns by which the lines of a wrapped message are indented."""


def example_message(page: RulePage, *, color: bool = False) -> str:
    """Return the output of `acdl check` for the example; empty if there is none."""
    options = ReportOptions(color=color)
    return "\n".join(REPORTS["terminal"]([diagnostic], source, options) for diagnostic, source in page.findings)


def to_markdown(page: RulePage) -> str:
    """Return the page of a site about a problem; its examples are text, its cures are figures."""
    text = page.about if page.kind == "rule" and page.about else f"{_capitalize(page.problem)}\n\n{page.about}".rstrip()
    parts = [f"# {page.name}", f"{_render_facts(page)}\n{{ .acdl-rule-facts }}", _link_names(text, page.name)]
    for section in page.sections:
        parts += [f"## {section.title}", *(_markdown_part(part, section, page.name) for part in section.parts)]
        if section.title == page.message_section:
            parts.append(f'<pre class="acdl-terminal"><code>{_render_message(page)}</code></pre>')
    if page.kind == "rule":
        parts += [
            "## Silence it",
            f"On one line, or before the first definition for a whole text: `// acdl: allow({page.name})`. "
            "For a project, in `acdl.toml`:",
            f'```toml\n[rules]\n{page.name} = "off"\n```',
        ]
    if page.reference:
        document, _, title = page.reference.partition(", ")
        parts.append(f"Reference: [{document}]({DOCUMENTS[document]}), {title}.\n{{ .acdl-rule-reference }}")
    return "\n\n".join(part for part in parts if part) + "\n"


def write_catalogue(pages: Sequence[RulePage]) -> str:
    """Return the page of a site that lists all problems; links lead to pages beside it."""
    parts = [
        "# Rules",
        "Everything that `acdl check`, `acdl pml check` and a build can say. Each problem has one name, the same in "
        "messages, in JSON, in settings and in comments that silence it. The messages on these pages are made by the "
        "program itself when this site is built; `acdl rules NAME` prints a page at the terminal.",
    ]
    for kind, title in GROUPS.items():
        rows = [page for page in pages if page.kind == kind]
        parts += [f"## {title}", f'<div class="acdl-catalogue" markdown>\n\n{_table_of(rows)}\n\n</div>']
    parts.append(
        "*Severity* is the one in a file; some rules are milder in a block of a page. A project "
        "[changes it](../language.md#settings) for each rule."
    )
    return "\n\n".join(parts) + "\n"


def _table_of(pages: Sequence[RulePage]) -> str:
    """Return a table with a line for each page; the column of cures only if there are any."""
    has_cures = any(page.cure for page in pages)
    lines = ["| rule | severity | problem |", "|---|---|---|"]
    lines += [
        f"| [`{page.name}`]({page.name}.md) | {_render_badge(page.severity)} | {_format_cell(page.problem)} |"
        for page in pages
    ]
    cures = ["`--fix`", "---", *(_CURES[page.cure] for page in pages)]
    return "\n".join(f"{line} {cure} |" if has_cures else line for line, cure in zip(lines, cures, strict=True))


def to_text(page: RulePage, *, color: bool = False) -> str:
    """Return the page for a terminal."""
    bold, plain = ("\x1b[1m", "\x1b[0m") if color else ("", "")
    cure = {"": "", "safe": ", can be fixed", "unsafe": f", can be fixed with {_UNSAFE}"}[page.cure]
    lines = [f"{bold}{page.name}{plain} ({page.severity}{cure})", page.problem, ""]
    lines += [page.about, ""] if page.about else []
    for section in page.sections:
        lines += [f"{bold}{section.title}{plain}", ""]
        for part in section.parts:
            text = part.text if isinstance(part, CodeSample) else part
            lines += [_indent_text(text), ""]
        if section.title == page.message_section:
            lines += [_indent_text(example_message(page, color=color)), ""]
    lines += [f"Reference: {page.reference}.", ""] if page.reference else []
    return "\n".join(lines)


def to_object(page: RulePage) -> dict[str, object]:
    """Return the page for programs."""
    sections: dict[str, object] = {}
    for section in page.sections:
        texts = [part.text if isinstance(part, CodeSample) else part for part in section.parts]
        sections[section.title.lower().replace(" ", "_")] = "\n\n".join(text.rstrip("\n") for text in texts)
    return {
        **summary_data(page),
        "about": page.about,
        **sections,
        "message": example_message(page),
        "reference": page.reference,
    }


def summary_data(page: RulePage) -> dict[str, object]:
    """Return a line of the catalogue for programs."""
    return {
        "version": 1,
        "rule": page.name,
        "kind": page.kind,
        "severity": page.severity,
        "fix": page.cure or None,
        "problem": page.problem,
    }


def _render_facts(page: RulePage) -> str:
    cure = {"": "", "safe": " fixed by `acdl check --fix`", "unsafe": f" fixed by `acdl check --fix {_UNSAFE}`"}
    return f"{_render_badge(page.severity)}{cure[page.cure]}"


def _render_badge(severity: str) -> str:
    return f'<span class="acdl-badge acdl-badge-{severity}">{severity}</span>'


def _capitalize(clause: str) -> str:
    return clause if clause[:1] == "`" else clause[:1].upper() + clause[1:]


def _format_cell(text: str) -> str:
    return escape_cell(_capitalize(text).removesuffix("."))


def _markdown_part(part: str | CodeSample, section: PageSection, name: str) -> str:
    if isinstance(part, str):
        return _link_names(part, name)
    language = part.language
    if language == "acdl":
        language = "acdl show=side" if section.title == "Use instead" else "acdl-code"
    mark = code_fence(part.text)
    return f"{mark}{language}\n{part.text}{mark}"


def _link_names(text: str, name: str) -> str:
    """Link the names of other problems in Markdown to their pages, which are beside this one."""
    others = frozenset(all_names()) - {name}
    return _CODE.sub(lambda code: f"[{code[0]}]({code[1]}.md)" if code[1] in others else code[0], text)


def _render_message(page: RulePage) -> str:
    """Return the message of the example as HTML: its words wrap in their column, and lines of source do not."""
    return "".join(map(_render_line, example_message(page, color=True).splitlines(keepends=True)))


def _render_line(line: str) -> str:
    plain = _COLORED_TEXT.sub(r"\g<text>", line)
    if words := _WORDS_BEFORE.match(plain):
        return _render_hanging(_HANG if words["head"] else words.end(), "", line)
    if label := _MARKED_LABEL.search(line):
        start = line[: label.start()] + f"{label['color']}{label['marks']}{_PLAIN}"
        n_columns = len(_COLORED_TEXT.sub(r"\g<text>", start))
        return _render_hanging(n_columns + 1, start, f"{label['color']}{label['label']}{_PLAIN}\n")
    return _render_colors(line)


def _render_hanging(n_columns: int, start: str, words: str) -> str:
    """Return a line whose words wrap, indented by a number of columns; what precedes them does not."""
    start = f'<span class="acdl-terminal-marks">{_render_colors(start)}</span>' if start else ""
    style = f"--acdl-hang: {n_columns}ch"
    return f'<span class="acdl-terminal-line" style="{style}">{start}{_render_colors(words)}</span>'


def _render_colors(text: str) -> str:
    """Convert terminal colours to classes."""
    return _COLORED_TEXT.sub(
        lambda match: f'<span class="acdl-terminal-{_COLORS[match["color"]]}">{match["text"]}</span>',
        escape(text, quote=False),
    )


def _indent_text(text: str) -> str:
    return "\n".join(f"{_INDENT}{line}" if line else "" for line in text.rstrip("\n").split("\n"))


def list_for_terminal(pages: Iterable[RulePage], *, color: bool = False) -> str:
    """Return the catalogue for a terminal: name, severity, problem; rules that `--fix` can fix are marked with `*`."""
    rows = list(pages)
    width = max(len(page.name) for page in rows)
    codes = {severity: code for code, severity in _COLORS.items()}
    lines = []
    for page in rows:
        severity = f"{page.severity:<7}"
        label = f"\x1b[{codes[page.severity]}m{severity}\x1b[0m" if color else severity
        lines.append(f"{page.name:<{width}} {'*' if page.cure else ' '} {label} {page.problem}")
    return "\n".join(lines) + "\n"


def rule_helps(names: Iterable[str]) -> dict[str, RuleText]:
    """Return the documentation of each of those rules that has any."""
    rule_names = frozenset(all_names())
    return {name: _help_text(rule_page(name)) for name in sorted(set(names) & rule_names)}


def _help_text(page: RulePage) -> RuleText:
    problem = page.problem if page.problem[:1] == "`" else f"{page.problem[:1].upper()}{page.problem[1:]}"
    parts = [f"# {page.name}", problem, page.about]
    for section in page.sections:
        parts += [f"## {section.title}", *(_format_markdown(part) for part in section.parts)]
    parts += [f"Reference: {page.reference}."] if page.reference else []
    return RuleText(problem, page.severity, to_text(page), "\n\n".join(part for part in parts if part) + "\n")


def _format_markdown(part: str | CodeSample) -> str:
    if isinstance(part, str):
        return part
    mark = code_fence(part.text)
    return f"{mark}{part.language}\n{part.text}{mark}"
