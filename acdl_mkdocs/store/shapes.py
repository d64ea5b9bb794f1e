"""What stands in a playbook file, and in which order; the same in reading, writing and the schema."""

import re
from pathlib import Path

SCHEMA_VERSION = 1
SCHEMA_FILE = "playbook-1.schema.json"
MODELINE = f"# yaml-language-server: $schema=./{SCHEMA_FILE}"
"""Tells editors where the schema is."""

TOP = ("schema_version", "name", "revision", "stamp", "policy", "sections", "bullets", "pairs")
STAMP = re.compile("[0-9a-f]{12}")
"""What a `stamp` looks like."""
TOP_NEEDED = ("schema_version", "name", "revision", "sections", "bullets")
POLICY = ("budget_model_tokens", "encoding", "similarity", "protect_revisions", "merge_similar", "refine")
SECTION = ("id", "title")
BULLET = (
    "id",
    "section",
    "content",
    "status",
    "reason",
    "superseded_by",
    "pinned",
    "severity",
    "publish",
    "send",
    "helpful",
    "harmful",
    "neutral",
    "seen",
    "applies_to",
    "source",
    "aliases",
    "added",
    "updated",
)
BULLET_NEEDED = ("id", "section", "content")
SOURCE = ("run", "sample", "by", "model", "reference")
PAIR = ("a", "b", "verdict", "score", "why", "by", "texts")
PAIR_NEEDED = ("a", "b", "verdict")
STATUSES = ("proposed", "active", "archived")
SEVERITIES = ("normal", "critical")
VERDICTS = ("differs", "conflicts", "open", "kept", "review", "conflict")


def schema_text() -> str:
    """The JSON Schema of playbook files."""
    return (Path(__file__).parent.parent / "assets" / SCHEMA_FILE).read_text("utf-8")
