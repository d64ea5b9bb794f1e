"""Playbooks as files: `playbook.yaml`, the snapshot, and `playbook.history.jsonl`, its complete history.

`load` and `load_history` read, `create` and `update` write, `verify` checks that both agree, `repair` makes them agree.
`playbook.model` knows the meaning of changes; here they are only stored.
"""

from acdl_mkdocs.playbook.store.load import has_trace, history_path, load, load_history, load_revision
from acdl_mkdocs.playbook.store.read_playbook import Loaded, read_playbook
from acdl_mkdocs.playbook.store.save import create, update
from acdl_mkdocs.playbook.store.write_playbook import digest_of, text_of

__all__ = (
    "Loaded",
    "create",
    "digest_of",
    "has_trace",
    "history_path",
    "load",
    "load_history",
    "load_revision",
    "read_playbook",
    "text_of",
    "update",
)
