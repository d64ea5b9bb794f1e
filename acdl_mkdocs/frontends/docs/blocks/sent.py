"""Evaluate the spec of a block with a sample state: the messages as HTML beside its figure, and problems."""

from acdl_mkdocs.evaluation.coverage import reached
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.blocks.sent_html import SentSpec, sent_html
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.evaluated import evaluated
from acdl_mkdocs.workspace.read_block import BlockText, Examined, Finding


@dataclass(frozen=True, slots=True)
class Sent:
    """The section beside a figure, and its problems."""

    html: str = ""
    """Empty if nothing could be evaluated."""
    findings: tuple[Finding, ...] = ()


def sent(text: BlockText, examined: Examined, name: str, config: Config) -> Sent:
    """Evaluate a block with its state.

    Parameters:
        text: The block.
        examined: The analysed block.
        name: The anchor of its figure.
        config: How the text is read.
    """
    found = evaluated(text, examined, config)
    if found.state is None or not found.transcripts:
        return Sent(findings=found.findings)
    points = tuple((each, reached(examined.resolved, each)) for each in found.transcripts)
    spec = SentSpec(name, points, found.state, counter(), is_dark=text.options.theme == "dark")
    return Sent(sent_html(spec), found.findings)
