"""The settings in the extension's `package.json`, made from those of the language server, for `test_manifest.py`."""

import json
from typing import Any

from acdl_mkdocs.frontends.lsp.session import SETTINGS, Setting

OWN: dict[str, dict[str, Any]] = {
    "acdl.server.command": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "scope": "machine-overridable",
        "markdownDescription": 'Program and arguments of the server: `["/path/to/python", "-m", "acdl_mkdocs"]`. '
        "Empty: the interpreter of the Python extension, `.venv` of the workspace, `acdl` on the PATH.",
    },
    "acdl.preview.followCursor": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "Whether the preview highlights the part of the figure at the cursor.",
    },
    "acdl.markdownPreview": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "Whether the built-in Markdown preview draws `acdl` blocks.",
    },
    "acdl.trace.server": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "markdownDescription": "What of the talk with the language server is written to the log.",
    },
}  # fmt: skip
"""What only the extension knows."""


def regenerated(manifest: str) -> str:
    """The manifest with every setting of the server, and the extension's own."""
    value = json.loads(manifest)
    value["contributes"]["configuration"]["properties"] = {
        **{f"acdl.{setting.name}": _property(setting) for setting in SETTINGS},
        **OWN,
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _property(setting: Setting) -> dict[str, Any]:
    choices = {"enum": list(setting.choices)} if setting.choices else {}
    said = {"markdownDescription": setting.description}
    return {"type": setting.kind, **choices, "default": setting.default, "scope": "window", **said}
