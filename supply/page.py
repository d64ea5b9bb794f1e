"""Print the table of facts of one part of the page about dependencies, from `facts.json`."""

import json
import sys

from supply.requirements import ROOT, requirements

PARTS = {
    "core": ("",),
    "docs": ("mkdocs", "docs", "sphinx"),
    "pictures": ("pdf", "png"),
    "tokens": ("tokens", "claude", "semantic"),
    "services": ("openai", "lsp", "mcp", "dask", "playground", "completion", "watch"),
    "tests": ("build", "test", "fuzz", "supply"),
}
"""The extras of each part of the page; `node` is what `package.json` asks for."""


def names(part: str) -> list[str]:
    """The dependencies of a part, each in one part only."""
    seen: dict[str, str] = {}
    for other, extras in PARTS.items():
        for line in requirements():
            if line.extra in extras:
                seen.setdefault(line.name, other)
    return sorted(name for name, where in seen.items() if where == part)


def size(n_bytes: int) -> str:
    """A number of bytes as people read it."""
    if n_bytes < 100_000:
        return f"{n_bytes / 1e3:.0f} kB"
    return f"{n_bytes / 1e6:.{0 if n_bytes >= 10_000_000 else 1}f} MB"


def table(part: str) -> str:
    """The facts of a part as a table of Markdown."""
    facts = json.loads((ROOT / "supply" / "facts.json").read_text("utf-8"))
    is_node = part == "node"
    head = ["package", "version", "released", "licence", "by", "installed", *([] if is_node else ["with all"])]
    lines = [f"| {' | '.join(head)} |", "|---|---|---|---|---|--:" + ("|" if is_node else "|--:|")]
    for name in facts["node"] if is_node else names(part):
        fact = facts["node" if is_node else "python"][name]
        cells = [f"`{name}`", *(fact[key] for key in ("version", "released", "licence", "by")), size(fact["size_b"])]
        if not is_node:
            n_brought = f" ({fact['n_brought']} more)" if fact["n_brought"] else ""
            cells.append(size(fact["size_with_brought_b"]) + n_brought)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(sys.argv[1]))
