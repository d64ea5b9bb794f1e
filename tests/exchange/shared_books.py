"""A playbook with everything that formats stumble over, and how tests run commands and read what they leave."""

from pathlib import Path

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section
from acdl_mkdocs.playbook.store import load
from acdl_mkdocs.playbook.store.verify import verify

BLOCK = "```python\n# a comment, no heading\n\nx = [1]  # [tu-9] no bullet\n```"
HOSTILE = Playbook(
    "lessons -->",
    7,
    (Section("general", "General"), Section("tool_usage", "Tool usage, & more"), Section("empty", "Empty")),
    (
        Bullet(id="gen-1", section="general", content='=HYPERLINK("http://x", "y")', helpful=3, added=1, updated=5),
        Bullet(id="gen-2", section="general", content="<!-- hidden &lt;!-- &amp;lt;!-- text", helpful=1, harmful=2),
        Bullet(
            id="gen-3", section="general", content="'=1+1, 'tis a \"quote\"; <b>x</b> --> \\ | 中文", neutral=4, seen=9
        ),
        Bullet(
            id="gen-4",
            section="general",
            content="- a dash at the beginning",
            status="archived",
            reason="@SUM(1)",
            pinned=True,
            severity="critical",
            publish=False,
        ),
        Bullet(
            id="shr-00012",
            section="tool_usage",
            content=BLOCK,
            applies_to=("acdl:A", "fragment:B"),
            source=(Provenance(by="person", reference="a, b"), Provenance(run="r", sample="s", model="m")),
            aliases=("old-1", "old-2"),
            updated=7,
        ),
        Bullet(id="tu-2", section="tool_usage", content="A `code` and [a link](x) :: with colons."),
    ),
    (Pair("gen-1", "gen-2", "conflicts", None, "1 or 2", "person", "0123456789ab"),),
    Policy(budget_model_tokens=900, encoding="o200k_base", merge_similar=0.9, refine=3),
)


def acdl(*arguments: str) -> int:
    """The status of `acdl playbook …`."""
    return main(["playbook", *arguments])


def playbook(path: Path) -> Playbook:
    """The playbook of a file that agrees with its history."""
    assert verify(path).is_clean
    found = load(path).playbook
    assert found is not None
    return found
