"""What the XML of a PML document can be told: one function a problem, with its rule name, its words and its cure."""

from collections.abc import Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.cures import READ_LENIENTLY


def not_xml(span: Span, message: str, note: str, help: str, related: Sequence[Label] = ()) -> Diagnostic:
    """The text is not well formed."""
    return error("not-xml", message, Label(span, note), related=related, help=help)


CURE_OF_CHARACTERS = (
    'write the text as a JSON string in `<text encoding="json">`, `<content encoding="json">` or `<arg type="json">`'
)


def forbidden_character(at: int, character: str) -> Diagnostic:
    """A character that XML does not have."""
    return not_xml(
        Span(at, at + 1),
        f"XML cannot hold the character U+{ord(character):04X}",
        "not in XML, not even as a reference",
        CURE_OF_CHARACTERS,
    )


def wrong_encoding(span: Span, what: str) -> Diagnostic:
    """The text is not in UTF-8, or says that it is not."""
    return error(
        "wrong-encoding",
        f"PML is read in UTF-8, this is {what}",
        Label(span, "another encoding"),
        help="save the file in UTF-8 and declare no other encoding",
    )


def wrong_version(span: Span, version: str) -> Diagnostic:
    """The text says that it is XML of another version."""
    message, note = f"PML is XML 1.0, this is declared as XML {version}", "another version"
    return not_xml(span, message, note, 'write `version="1.0"`, or remove the declaration')


def document_type(span: Span) -> Diagnostic:
    """A `<!DOCTYPE`."""
    return error(
        "document-type",
        "a PML document has no document type, as it could define entities",
        Label(span, "the document type begins here"),
        help="remove `<!DOCTYPE ...>`; write characters such as `&` as `&amp;`",
    )


def processing_instruction(span: Span, target: str) -> Diagnostic:
    """A `<?...?>`."""
    return error(
        "processing-instruction",
        f"the processing instruction `<?{target} ...?>` means nothing in PML",
        Label(span, "not part of the prompt"),
        help=f"remove `<?{target} ...?>`{READ_LENIENTLY}",
    )


def too_large(span: Span, what: str) -> Diagnostic:
    """A limit."""
    return error(
        "over-limit",
        f"the document has more than {what}",
        Label(span, "not read further"),
        help="split the document, or read it from Python with other `Limits`",
    )
