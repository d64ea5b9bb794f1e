"""The command line: one module for each command, with `add_arguments(parser)` and `run(args) -> int`.

`COMMANDS` names the module of each, so that a command costs nothing until it is asked for.
"""

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "check": "acdl_mkdocs.cli.check",
    "check-run": "acdl_mkdocs.cli.check_run",
    "completion": "acdl_mkdocs.cli.completion",
    "convert": "acdl_mkdocs.cli.convert",
    "diff": "acdl_mkdocs.cli.diff",
    "embed": "acdl_mkdocs.cli.embed",
    "explain": "acdl_mkdocs.cli.explain",
    "format": "acdl_mkdocs.cli.format",
    "git": "acdl_mkdocs.cli.git",
    "inspect": "acdl_mkdocs.cli.inspect",
    "lsp": "acdl_mkdocs.cli.lsp",
    "mcp": "acdl_mkdocs.cli.mcp",
    "new": "acdl_mkdocs.cli.new",
    "playbook": "acdl_mkdocs.cli.playbook",
    "playground": "acdl_mkdocs.cli.playground",
    "pml": "acdl_mkdocs.cli.pml",
    "record": "acdl_mkdocs.cli.record",
    "render": "acdl_mkdocs.cli.render",
    "rules": "acdl_mkdocs.cli.rules",
    "state": "acdl_mkdocs.cli.state",
    "tokens": "acdl_mkdocs.cli.tokens",
    "unroll": "acdl_mkdocs.cli.unroll",
}

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Write": ("new", "check", "format", "rules", "explain", "convert"),
    "Draw": ("render", "embed", "playground"),
    "See what is sent": ("unroll", "state", "tokens", "pml"),
    "Compare": ("diff", "git"),
    "Record and verify": ("record", "inspect", "check-run"),
    "Learn": ("playbook",),
    "Connect shells, editors and agents": ("completion", "lsp", "mcp"),
}
"""The commands as `acdl --help` lists them: each once, under what a person wants to do."""
