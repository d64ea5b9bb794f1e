"""Evaluate the spec of a block with a sample state: the messages as HTML beside its figure, and problems."""

from acdl_mkdocs.app.evaluate_block import evaluate_block
from acdl_mkdocs.evaluation.coverage import find_coverage
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.blocks.sent_html import SentSpec, sent_html
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.workspace.examine import Examined
from acdl_mkdocs.workspace.read_block import BlockText, Finding


@dataclass(frozen=True, slots=True)
class SentSection:
    """The section beside a figure, and its problems."""

    html: str = ""
    """Empty if nothing could be evaluated."""
    findings: tuple[Finding, ...] = ()


def render_sent(text: BlockText, examined: Examined, name: str, config: Config) -> SentSection:
    """Evaluate a block with its state.

    Parameters:
        text: The block.
        examined: The analysed block.
        name: The anchor of its figure.
        config: How the text is read.
    """
    found = evaluate_block(text, examined, config)
    if found.state is None or not found.transcripts:
        return SentSection(findings=found.findings)
    points = tuple((each, find_coverage(examined.resolved, each)) for each in found.transcripts)
    spec = SentSpec(name, points, found.state, counter(), is_dark=text.options.theme == "dark")
    return SentSection(sent_html(spec), found.findings)
