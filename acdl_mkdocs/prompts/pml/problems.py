"""All problems of a PML document, its XML or its calls: one function for each, and their names."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest

READ_LENIENTLY = ", or read the text with `--lenient`"
"""End of the help for problems that lenient reading can fix."""
OF_COMMAND = "; `acdl pml format --lenient FILE` does that"
"""End of the help for problems that a command can fix in a file."""


def replace_lenient_help(problem: Diagnostic, cure: str) -> Diagnostic:
    """Return the problem with other help about lenient reading; without any if reading is lenient already."""
    return replace(problem, help=tuple(each.replace(READ_LENIENTLY, cure) for each in problem.help))


def adapt_help_to_page(problem: Diagnostic, *, is_lenient: bool) -> Diagnostic:
    """Return the problem with help for a block of a page, which has an option for lenient reading.

    Parameters:
        problem: The problem as reported for a document.
        is_lenient: Whether the block is read leniently already.
    """
    problem = replace_lenient_help(problem, "" if is_lenient else ", or add `lenient=on`")
    return replace(problem, help=tuple(each.removesuffix(OF_COMMAND) for each in problem.help))


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was repaired while reading."""

    span: Span
    """Where it is in the text."""
    message: str
    """What was found and how it was read; lower case, no full stop."""
    lost: str = ""
    """The text that is lost in reading; empty if nothing is lost."""


def repair_note(repair: Repair) -> Diagnostic:
    """Return the diagnostic for a repair of lenient reading."""
    return warning(
        "repaired",
        repair.message,
        Label(repair.span, "not valid PML"),
        help=f"write it as it is read{OF_COMMAND}",
    )


def unknown_element(span: Span, name: str, names: Iterable[str]) -> Diagnostic:
    """Return the diagnostic for an element that does not exist anywhere."""
    near = find_closest(name, names)
    cure = f"did you mean `<{near}>`?" if near else 'put data into `<attachment type="...">`, words into `<text>`'
    return error("unknown-element", f"PML has no element `<{name}>`", Label(span, "not an element of PML"), help=cure)


def foreign_element(span: Span, name: str) -> Diagnostic:
    """Return the diagnostic for an element or attribute of a namespace that means nothing here."""
    namespace, _, local = name.removeprefix("{").partition("}")
    return error(
        "foreign-element",
        f"`{local}` is in the namespace `{namespace}`, but PML elements have no namespace",
        Label(span, "another namespace"),
        help=f'remove `xmlns="{namespace}"`, or the elements and attributes in that namespace{READ_LENIENTLY}',
    )


def misplaced_element(span: Span, name: str, parent: str, allowed: Sequence[str]) -> Diagnostic:
    """Return the diagnostic for an element that exists, but not inside this one."""
    named = " ".join(f"`<{each}>`" for each in allowed)
    has = f"allowed here: {named}" if allowed else f"`<{parent}>` cannot contain elements"
    message = f"`<{name}>` cannot be in `<{parent}>`"
    return error("misplaced-element", message, Label(span, "not allowed here"), help=has)


def disordered_element(span: Span, name: str, parent: str, before: str, cure: str) -> Diagnostic:
    """Return the diagnostic for an element that cannot follow the one before it; `before` is empty for the first."""
    where = f"cannot follow `<{before}>`" if before else "cannot be the first"
    message = f"`<{name}>` in `<{parent}>` {where}"
    return error("misplaced-element", message, Label(span, "not allowed here"), help=cure)


def missing_element(span: Span, parent: str, needed: Sequence[str]) -> Diagnostic:
    """Return the diagnostic for an element without a required child element."""
    named = " or ".join(f"`<{each}>`" for each in needed)
    cure = f"write `<{needed[0]}>...</{needed[0]}>` in it"
    return error("missing-element", f"`<{parent}>` has no {named}", Label(span, "ends without it"), help=cure)


def misplaced_text(span: Span, parent: str, home: str) -> Diagnostic:
    """Return the diagnostic for words between elements."""
    cure = f"put it into `<{home}>...</{home}>`" if home else f"remove it{READ_LENIENTLY}"
    return error(
        "misplaced-text", f"there is text between the elements of `<{parent}>`", Label(span, "text here"), help=cure
    )


def unknown_attribute(span: Span, name: str, element: str, names: Sequence[str]) -> Diagnostic:
    """Return the diagnostic for an attribute that the element does not have."""
    near = find_closest(name, names)
    named = ", ".join(f"`{each}`" for each in names)
    cure = f"did you mean `{near}`?" if near else f"its attributes are: {named}" if named else f"remove `{name}`"
    return error(
        "unknown-attribute", f"`<{element}>` has no attribute `{name}`", Label(span, "not known here"), help=cure
    )


def missing_attribute(span: Span, name: str, element: str) -> Diagnostic:
    """Return the diagnostic for a missing required attribute."""
    return error(
        "missing-attribute",
        f"`<{element}>` has no attribute `{name}`",
        Label(span, f"without `{name}`"),
        help=f'write `<{element} {name}="...">`',
    )


def attribute_value(span: Span, name: str, value: str, expected: str) -> Diagnostic:
    """Return the diagnostic for a value that the attribute cannot have."""
    short = value if len(value) <= 60 else value[:57] + "..."
    return error(
        "attribute-value",
        f'`{name}="{short}"` is not a value of `{name}`',
        Label(span, f"expected {expected}"),
        help=f"write {expected}",
    )


CURE_OF_JSON = 'write JSON: strings and keys in `"`, each key once, and no comma after the last value'


def bad_json(span: Span, what: str, reason: str, cure: str = CURE_OF_JSON) -> Diagnostic:
    """Return the diagnostic for invalid or refused JSON."""
    message = f"{what} is not valid JSON: {reason}"
    return error("bad-json", message, Label(span, "has to be JSON"), help=cure)


def bad_base64(span: Span, what: str) -> Diagnostic:
    """Return the diagnostic for invalid base64."""
    return error(
        "bad-base64",
        f"{what} is not base64",
        Label(span, "has to be base64"),
        help='write base64 data, or for text, remove `encoding="base64"`',
    )


def two_contents(span: Span, first: str, second: str) -> Diagnostic:
    """Return the diagnostic for an attachment with both an address and a content."""
    return error(
        "two-contents",
        f"the attachment has {first} and {second}",
        Label(span, "only one of them can be sent"),
        help=f"remove {first} or {second}",
    )


def two_media_types(span: Span, first: str, second: str) -> Diagnostic:
    """Return the diagnostic for different media types of an attachment and its content."""
    return warning(
        "two-contents",
        f"the media type of the attachment is `{first}`, but that of its content is `{second}`",
        Label(span, "the media type of the attachment is used"),
        help="remove one of the two `mime`",
    )


def data_address(span: Span) -> Diagnostic:
    """Return the diagnostic for an address that contains the data themselves."""
    return error(
        "attribute-value",
        "the `href` of the attachment is a `data:` URL, which contains data instead of an address",
        Label(span, "data in an attribute"),
        help='write `<content encoding="base64">...</content>` in the attachment, and its type as `mime="..."`',
    )


def turn_order(span: Span, number: int, before: int) -> Diagnostic:
    """Return the diagnostic for a number of a turn that is lower than the one before."""
    return error(
        "turn-order",
        f"turn {number} comes after turn {before}",
        Label(span, "the order in the document is used"),
        help=f'write `index="{before + 1}"`, or no `index`',
    )


CURE_OF_WHITE = "write `&#10;` for a line end and `&#9;` for a tab, or the value in an `<arg>`"


def raw_line_end(span: Span, names: str) -> Diagnostic:
    """Return the diagnostic for an attribute of a call with a line end or a tab."""
    return warning(
        "raw-line-end",
        f"the line ends and tabs in {names} are kept; XML reads spaces",
        Label(span, "another XML reader gives this call other arguments"),
        help=CURE_OF_WHITE,
    )


def repeated_id(span: Span, first: Span, call_id: str) -> Diagnostic:
    """Return the diagnostic for two calls with the same id."""
    return error(
        "repeated-call-id",
        f"another call also has the id `{call_id}`",
        Label(span, "results cannot tell them apart"),
        related=[Label(first, "the first call with this id")],
        help="give every call its own id",
    )


def unanswered_call(span: Span, tool: str, after: Span) -> Diagnostic:
    """Return the diagnostic for a call that is followed by messages before its result."""
    return error(
        "unanswered-call",
        f"the call of `{tool}` has no result, and messages follow: providers reject that",
        Label(span, "no result for this call"),
        related=[Label(after, "this comes next")],
        help="put `<tool_output>...</tool_output>` into the next `<turn>`, before other messages",
    )


def result_without_call(span: Span, call_id: str) -> Diagnostic:
    """Return the diagnostic for a result without a call."""
    return error(
        "result-without-call",
        f"no call before this result has the id `{call_id}`",
        Label(span, "no call for this result"),
        help="put the call before it, in an `<assistant>`, with the same `id`",
    )


def second_result(span: Span, first: Span, call_id: str) -> Diagnostic:
    """Return the diagnostic for a second result of a call."""
    return error(
        "result-without-call",
        f"the call `{call_id}` already has a result",
        Label(span, "a second result"),
        related=[Label(first, "the first one")],
        help="put both in one `<tool_output>`, each as `<content>...</content>`, or correct the `id`",
    )


def loose_result(span: Span, tool: str | None) -> Diagnostic:
    """Return the diagnostic for a result without an id, if no call is pending."""
    called = "no call" if tool is None else f"no call of `{tool}`"
    return warning(
        "result-without-call",
        f"{called} before this result waits for one",
        Label(span, "no call for this result"),
        help='put `<call name="..."/>` before it, at the end of an `<assistant>`, or write its words as `<text>`',
    )


def repeated_argument(span: Span, key: str) -> Diagnostic:
    """Return the diagnostic for an argument that is given twice."""
    return error(
        "repeated-argument",
        f"the call has the argument `{key}` twice",
        Label(span, "given again here"),
        help="remove one of the two",
    )


def repeated_tool(span: Span, first: Span, what: str, name: str) -> Diagnostic:
    """Return the diagnostic for two tools or parameters with the same name."""
    return error(
        "repeated-tool",
        f"another {what} is also named `{name}`",
        Label(span, "calls cannot tell them apart"),
        related=[Label(first, "the first one")],
        help="rename one of them",
    )


def unknown_tool(span: Span, name: str, names: Iterable[str]) -> Diagnostic:
    """Return the diagnostic for a call of an unknown tool."""
    near = find_closest(name, names)
    cure = f"did you mean `{near}`?" if near else f'list it in `<tools>`: `<tool name="{name}"/>`'
    return warning("unknown-tool", f"the document lists no tool `{name}`", Label(span, "not in `<tools>`"), help=cure)


def odd_name(span: Span, what: str, name: str, expected: str) -> Diagnostic:
    """Return the diagnostic for a name that will cause problems elsewhere."""
    return warning(
        "odd-name", f"{what} is named `{name}`, which not every provider accepts", Label(span, "unusual"), help=expected
    )


def empty_message(span: Span, name: str) -> Diagnostic:
    """Return the diagnostic for an empty message."""
    return warning(
        "empty-message",
        f"the `<{name}>` message is empty, which providers reject",
        Label(span, "empty"),
        help=f"write `<text>...</text>` in it, or remove `<{name}>`",
    )


def no_root(span: Span, name: str, roots: Sequence[str]) -> Diagnostic:
    """Return the diagnostic for a document whose root can only be inside other elements."""
    named = " ".join(f"`<{each}>`" for each in roots)
    home = {"tool": "tools", "fact": "memory", "summary": "memory"}.get(name)
    in_turn = f"put it into `<conversation><turn>...</turn></conversation>`{READ_LENIENTLY}"
    return error(
        "misplaced-element",
        f"a document cannot begin with `<{name}>`",
        Label(span, f"expected one of: {named}"),
        help=in_turn if home is None else f"put it into `<{home}>...</{home}>`",
    )


def not_xml(span: Span, message: str, note: str, help: str, related: Sequence[Label] = ()) -> Diagnostic:
    """Return the diagnostic for text that is not well-formed XML."""
    return error("not-xml", message, Label(span, note), related=related, help=help)


CURE_OF_CHARACTERS = (
    'write the text as a JSON string in `<text encoding="json">`, `<content encoding="json">` or `<arg type="json">`'
)


def forbidden_character(at: int, character: str) -> Diagnostic:
    """Return the diagnostic for a character that XML cannot hold."""
    return not_xml(
        Span(at, at + 1),
        f"XML cannot hold the character U+{ord(character):04X}",
        "not in XML, not even as a reference",
        CURE_OF_CHARACTERS,
    )


def wrong_encoding(span: Span, what: str) -> Diagnostic:
    """Return the diagnostic for text that is not in UTF-8, or that declares another encoding."""
    return error(
        "wrong-encoding",
        f"PML has to be UTF-8, but this is {what}",
        Label(span, "another encoding"),
        help="save the file in UTF-8 and declare no other encoding",
    )


def wrong_version(span: Span, version: str) -> Diagnostic:
    """Return the diagnostic for text that declares another version of XML."""
    message, note = f"PML is XML 1.0, but this is declared as XML {version}", "another version"
    return not_xml(span, message, note, 'write `version="1.0"`, or remove the declaration')


def document_type(span: Span) -> Diagnostic:
    """Return the diagnostic for a `<!DOCTYPE`."""
    return error(
        "document-type",
        "a PML document must not have a document type, which could define entities",
        Label(span, "the document type begins here"),
        help="remove `<!DOCTYPE ...>`; write characters such as `&` as `&amp;`",
    )


def processing_instruction(span: Span, target: str) -> Diagnostic:
    """Return the diagnostic for a `<?...?>`."""
    return error(
        "processing-instruction",
        f"the processing instruction `<?{target} ...?>` has no meaning in PML",
        Label(span, "not part of the prompt"),
        help=f"remove `<?{target} ...?>`{READ_LENIENTLY}",
    )


def too_large(span: Span, what: str) -> Diagnostic:
    """Return the diagnostic for an exceeded limit."""
    return error(
        "over-limit",
        f"the document has more than {what}",
        Label(span, "not read further"),
        help="split the document, or read it from Python with other `Limits`",
    )


PML_RULES = {
    "not-xml": "the text is not well-formed XML",
    "wrong-encoding": "the text is not in UTF-8",
    "document-type": "there is a document type, which could define entities",
    "processing-instruction": "there is a processing instruction, which has no meaning in PML",
    "over-limit": "the document is over a limit",
    "unknown-element": "PML has no such element",
    "foreign-element": "an element or an attribute is in another namespace",
    "misplaced-element": "an element is in the wrong place",
    "missing-element": "an element lacks one that it needs",
    "misplaced-text": "there is text between elements",
    "unknown-attribute": "the element has no such attribute",
    "missing-attribute": "the element lacks an attribute that it needs",
    "attribute-value": "an attribute has a value that it cannot have",
    "bad-json": "text that has to be JSON is not, or is ambiguous",
    "bad-base64": "text that has to be base64 is not",
    "two-contents": "an attachment has more than one content",
    "turn-order": "the number of a turn is less than that of the turn before",
    "raw-line-end": "an attribute of a call has a line end or a tab, which is kept",
    "repeated-call-id": "two calls have the same id",
    "unanswered-call": "messages follow a call that has no result",
    "result-without-call": "a result answers no call before it that waits for one",
    "repeated-argument": "a call has an argument twice",
    "other-spelling": "`x:raw` has different arguments from the call",
    "repeated-tool": "two tools, or two parameters of a tool, have the same name",
    "unknown-tool": "a call is of a tool that the document does not list",
    "odd-name": "providers do not accept this tool name, or XML tools this attachment type",
    "empty-message": "a message is empty",
    "unreadable-argument": "an argument does not have the type that the tool declares",
    "unreadable-parameter": "a parameter definition of a tool is not valid",
    "missing-argument": "a call lacks an argument that its tool needs",
    "unknown-argument": "a call has an argument that its tool does not have",
    "wrong-type": "an argument of a call has a different type from that in its tool",
    "wrong-value": "an argument of a call is none of the values that its tool allows",
    "wrong-size": "an argument of a call is larger or smaller than its tool allows",
    "repaired": "lenient reading has read something as if it were written differently",
}
"""Names of the problems; the documentation has a page for each."""
