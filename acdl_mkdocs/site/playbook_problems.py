"""The problems of playbooks on pages, documented like rules; see `problems` for the form of the texts."""

from collections.abc import Mapping

from acdl_mkdocs.foundation.diagnostics import Severity

PLAYBOOK_PROBLEMS: Mapping[str, str] = {
    "playbook-file": """the file of a playbook says something that cannot be read, or that no playbook can be.

        Every problem of a file is reported at once, with its line and a cure; `acdl playbook verify` reports the same,
        and whether the history agrees. Nothing of the playbook is shown.

        ## Why
        A lesson that was read wrongly would stand in prompts as if somebody had meant it.
        """,
    "unknown-section": """a block shows a section that its playbook does not have.

        ## Why
        Readers would miss lessons that the author of the page wanted them to see.
        """,
    "unknown-bullet": """a block shows a lesson that its playbook does not have.

        Ids of lessons that were merged into others are known, and show the other.

        ## Why
        Readers would miss a lesson that the author of the page wanted them to see.
        """,
    "empty-playbook": """a block shows no lesson.

        The message says why: the playbook has none, or none of those that the block asks for.

        ## Why
        Readers would see a heading with nothing below it.
        """,
    "damaged-history": """the history beside a playbook is damaged, so changes are shown only as far as it is whole.

        `acdl playbook verify` says where, and `acdl playbook repair` sets aside what cannot be read.

        ## Why
        Readers would take half of the changes for all of them.
        """,
    "secret-in-playbook": """a lesson holds what looks like a key or a password.

        The lesson is not shown, nowhere on the site, and the message does not repeat it.

        ## Why
        What a page shows is copied at once. Take the secret out, and make it void where it is used.
        """,
    "secret-in-history": """an earlier text of a lesson holds what looks like a key or a password.

        The history keeps every text, so the file still has it. The site does not show it.

        ## Why
        Who has the repository has the secret. Make it void where it is used.
        """,
    "unknown-target": """a lesson is about a spec or a fragment that the site does not have.

        `applies_to` names specs as `acdl:React1` and fragments as `fragment:Turn`. The lesson is shown, without a link.

        ## Why
        The page of a spec lists the lessons about it; a renamed spec would lose them without a word.
        """,
}
"""Problems of a playbook that a page shows."""

PLAYBOOK_SEVERITIES: Mapping[str, Severity] = {
    "empty-playbook": "note",
    "damaged-history": "warning",
    "secret-in-history": "warning",
    "unknown-target": "warning",
}
"""Those that are no errors."""
