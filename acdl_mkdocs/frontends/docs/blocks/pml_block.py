"""The fence `pml`: a conversation as a transcript, drawn like that of an evaluation.

What lenient reading can repair is drawn too, with its problems reported; an unreadable block shows its source.
"""

from collections.abc import Iterator

from acdl_mkdocs.evaluation.formats.conversation_html import write_conversation
from acdl_mkdocs.evaluation.formats.message_html import format_count
from acdl_mkdocs.frontends.docs.blocks import xml_fence
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.xml_fence import DrawnXml, XmlKind, XmlText
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.prompts.pml.document_problems import list_document_problems
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    return xml_fence.from_fence(fence, page, KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of a block: its opening line, then its text."""
    return xml_fence.fence_problems(fence, page, KIND)


def draw_pml(text: XmlText, name: str, page: Page) -> DrawnXml:
    """Draw a document; ids in it begin with the name."""
    del page
    document = read(text.raw, is_lenient=text.options.lenient, name=text.source.name)
    findings = tuple((each, text.source) for each in list_document_problems(document))
    remarks: tuple[str, ...] = ()
    if document.prompt is None and not text.options.lenient:
        document = read(text.raw, is_lenient=True, name=text.source.name)
        remarks = (_as_repaired(document),)
    return DrawnXml(write_conversation(document.prompt, name, remarks) if document.prompt else "", findings)


def _as_repaired(document: ReadPml) -> str:
    n_repairs = format_count(len(document.repairs), "repair")
    return f"drawn as lenient reading takes it, with {n_repairs}; `lenient=on` tells them"


KIND = XmlKind("pml", "Conversation", draw_pml)
"""The kind of blocks of this language."""
