"""The command line: one module for each command, with `add_arguments(parser)` and `run(args) -> int`.

`COMMANDS` names the module of each, so that a command is not imported until it is used.
"""

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "check": "acdl_mkdocs.frontends.cli.check",
    "check-run": "acdl_mkdocs.frontends.cli.check_run",
    "completion": "acdl_mkdocs.frontends.cli.completion",
    "convert": "acdl_mkdocs.frontends.cli.convert",
    "diff": "acdl_mkdocs.frontends.cli.diff",
    "embed": "acdl_mkdocs.frontends.cli.embed",
    "explain": "acdl_mkdocs.frontends.cli.explain",
    "format": "acdl_mkdocs.frontends.cli.format",
    "git": "acdl_mkdocs.frontends.cli.git",
    "infer": "acdl_mkdocs.frontends.cli.infer",
    "inspect": "acdl_mkdocs.frontends.cli.inspect",
    "lsp": "acdl_mkdocs.frontends.cli.lsp",
    "mcp": "acdl_mkdocs.frontends.cli.mcp",
    "new": "acdl_mkdocs.frontends.cli.new",
    "playbook": "acdl_mkdocs.frontends.cli.playbook",
    "playground": "acdl_mkdocs.frontends.cli.playground",
    "pml": "acdl_mkdocs.frontends.cli.pml",
    "record": "acdl_mkdocs.frontends.cli.record",
    "render": "acdl_mkdocs.frontends.cli.render",
    "rules": "acdl_mkdocs.frontends.cli.rules",
    "state": "acdl_mkdocs.frontends.cli.state",
    "tokens": "acdl_mkdocs.frontends.cli.tokens",
    "unroll": "acdl_mkdocs.frontends.cli.unroll",
}

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Write": ("new", "check", "format", "rules", "explain", "convert"),
    "Draw": ("render", "embed", "playground"),
    "See what is sent": ("unroll", "state", "tokens", "pml"),
    "Compare": ("diff", "git"),
    "Record and verify": ("record", "inspect", "infer", "check-run"),
    "Learn": ("playbook",),
    "Connect shells, editors and agents": ("completion", "lsp", "mcp"),
}
"""The commands as `acdl --help` lists them: each once, grouped by purpose."""
