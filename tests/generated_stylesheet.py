"""The colours and fonts of `acdl.css`, for `test_outputs.py`.

Made from `drawing/figure/theme.py` and `drawing/formats/svg.py`.

A part stands between `/* generated: NAME */` and `/* end */`; `pytest --update-golden` writes it anew.
"""

import re
from collections.abc import Callable, Mapping

from acdl_mkdocs.drawing.figure.theme import PALETTES, Theme
from acdl_mkdocs.drawing.formats.svg import CLASSES, FONTS, SWITCH_WIDTHS
from acdl_mkdocs.frontends.docs.blocks.highlight import STYLES

_PART = re.compile(r"(?P<indent> *)/\* generated: (?P<name>\w+) \*/\n.*?(?P<end> */\* end \*/)", re.DOTALL)
_LONGEST_LINE = 118


def regenerated(sheet: str) -> str:
    """The stylesheet with every generated part made anew."""

    def part(found: re.Match[str]) -> str:
        lines = PARTS[found["name"]]()
        body = "".join(f"{found['indent']}{line}\n" for line in _filled(lines, _LONGEST_LINE - len(found["indent"])))
        return f"{found['indent']}/* generated: {found['name']} */\n{body}{found['end']}"

    return _PART.sub(part, sheet)


def _colours(theme: str) -> Mapping[str, str]:
    """Variable to colour. Styles that share a class must have one colour."""
    found: dict[str, str] = {}
    for style, class_name in CLASSES.items():
        for colour, suffix in zip(PALETTES[theme][style], ("", "-edge"), strict=True):
            if colour:
                assert found.setdefault(f"--acdl-{class_name}{suffix}", colour) == colour, style
    return found


def _filled(statements: list[str], width: int) -> list[str]:
    """As many statements on a line as fit; rules have lines of their own."""
    lines: list[str] = []
    for statement in statements:
        if lines and not statement.endswith("}") and len(lines[-1]) + 1 + len(statement) <= width:
            lines[-1] += f" {statement}"
        else:
            lines.append(statement)
    return lines


def _light() -> list[str]:
    return [f"{name}: {colour};" for name, colour in _colours("light").items()]


def _dark() -> list[str]:
    return [f"{name}: {colour};" for name, colour in _colours("dark").items()]


def _both() -> list[str]:
    dark = _colours("dark")
    return [f"{name}: light-dark({colour}, {dark[name]});" for name, colour in _colours("light").items()]


def _rules() -> list[str]:
    declared: dict[str, list[str]] = {}
    for name in _colours("light"):
        class_name = name.removeprefix("--").removesuffix("-edge")
        part = "stroke" if name.endswith("-edge") else "fill"
        declared.setdefault(class_name, []).append(f"{part}: var({name});")
    rules = [f".acdl-auto .{class_name} {{ {' '.join(parts)} }}" for class_name, parts in declared.items()]
    return [f".acdl-auto {{ fill: var(--acdl-{CLASSES['plain']}); }}", *rules]


def _code() -> list[str]:
    names = dict.fromkeys(CLASSES[style] for style in STYLES.values())
    return [f".acdl-code .acdl-{name} {{ color: var(--acdl-{name}); }}" for name in names]


def _mini() -> list[str]:
    words = [name for name in dict.fromkeys(CLASSES.values()) if len(name) == 1]
    return [f".acdl-mini .acdl-{name} {{ stroke: var(--acdl-{name}); }}" for name in words]


def _fonts() -> list[str]:
    return [
        "@supports (font-size-adjust: ch-width 1) {",
        f"  .acdl-svg {{ font-family: {FONTS.replace(',', ', ')}; }}",
        "}",
        f"@supports not (-moz-appearance: none) {{ .acdl-svg {{ font-size-adjust: ch-width {Theme().column_em}; }} }}",
    ]


def _widths() -> list[str]:
    rules: list[str] = []
    for width in SWITCH_WIDTHS:
        name = f".acdl-from-{width}"
        rules += [
            f"@container acdl-figure (width < {width}px) {{",
            f"  svg{name} {{ position: absolute; visibility: hidden; width: 1px; height: 1px; }}",
            f"  {name} + svg.acdl-narrow {{ display: block; }}",
            "}",
        ]
    return rules


PARTS: dict[str, Callable[[], list[str]]] = {
    "light": _light,
    "dark": _dark,
    "both": _both,
    "rules": _rules,
    "code": _code,
    "mini": _mini,
    "fonts": _fonts,
    "widths": _widths,
}
"""Name of a part to what makes its statements."""
