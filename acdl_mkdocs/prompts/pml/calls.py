"""Tool calls in both directions: `Call` and `<call>`, without loss for any arguments.

An attribute holds a text, or a number, boolean or null of a parameter that is declared as such; `<arg>` holds the rest,
and everything after it, so that the arguments keep their order. A parameter that no tool declares is a text.
"""

from collections.abc import Mapping

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.json_value import is_spelled_as
from acdl_mkdocs.prompts.pml.problems import CURE_OF_JSON, bad_json, repeated_argument
from acdl_mkdocs.prompts.pml.tree import Element
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS
from acdl_mkdocs.prompts.pml.xml_text import NAME, NOT_XML, write_attributes, write_json, write_leaf
from acdl_mkdocs.prompts.prompt import Call, Json, Tool
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_MOST_ATTRIBUTES = 100
"""More arguments than these are elements: readers limit the attributes of an element."""
_MOST_SHOWN = 40
_NO_ARGUMENTS = ("name", "id")
_CURE_OF_ALL = 'write an object, or a `key`: `<arg type="json">{"k": 1}</arg>`, `<arg key="k" type="json">1</arg>`'


def write_call(call: Call, tool: Tool | None = None) -> str:
    """Write a call as a model does, in one line.

    Parameters:
        call: The call.
        tool: Its tool, whose parameters define the types of attributes. The same tool is needed to read the call.
    """
    return _write_call(call, tool, [])


def write_document_call(call: Call, tool: Tool | None = None) -> str:
    """Write a call in a document: as a model does, with the additional data of a provider."""
    return _write_call(call, tool, [("x:raw", call.args_raw), ("x:signature", call.signature)])


def read_call(element: Element, tool: Tool | None = None, problems: list[Diagnostic] | None = None) -> Call:
    """Read the call of an element; an argument that cannot be read is a problem, and kept as text."""
    diagnostics: list[Diagnostic] = [] if problems is None else problems
    attributes = element.attributes
    args: dict[str, Json] = {}
    for name, value in attributes.items():
        if name not in _NO_ARGUMENTS and ":" not in name and "{" not in name:
            declared = find_types(tool, name)
            args[name] = read_typed_value(value, declared)
            if declared and "string" not in declared and isinstance(args[name], str):
                diagnostics.append(_report_wrong_type(element, name, value, declared))
    for child in element.elements:
        if child.name == "arg":
            argument = _read_argument(child, tool, diagnostics)
            if len(diagnostics) < MOST_PROBLEMS:
                diagnostics.extend(repeated_argument(child.span, key) for key in argument if key in args)
            args.update(argument)
    return Call(
        attributes.get("name", ""), args, attributes.get("id"), attributes.get("x:raw"), attributes.get("x:signature")
    )


def find_types(tool: Tool | None, key: str) -> frozenset[str]:
    """Return the types that a parameter may have; none if they are not declared."""
    properties = tool.parameters.get("properties") if tool else None
    schema = properties.get(key) if isinstance(properties, dict) else None
    declared = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(declared, list):
        return frozenset(each for each in declared if isinstance(each, str))
    return frozenset((declared,)) if isinstance(declared, str) else frozenset()


def read_typed_value(value: str, declared: frozenset[str]) -> Json:
    """Read an attribute or the text of a person: as JSON if the parameter is declared with another type than text."""
    if not declared or "string" in declared:
        return value
    try:
        json_value = strict_json(value)
    except JsonFault:
        return value
    return json_value if is_spelled_as(json_value, declared) else value


def _write_call(call: Call, tool: Tool | None, other_pairs: list[tuple[str, str | None]]) -> str:
    pairs: list[tuple[str, str | None]] = [("name", call.tool), ("id", call.id)]
    args: list[str] = []
    if any(NOT_XML.search(key) for key in call.args):
        args.append(_format_argument("", "json", write_json(call.args)))
    else:
        for key, value in call.args.items():
            spelled = _format_attribute(key, value, find_types(tool, key))
            if spelled is None or args or len(pairs) == _MOST_ATTRIBUTES:  # attributes are read before elements
                args.append(_write_argument(key, value))
            else:
                pairs.append((key, spelled))
    attributes = write_attributes([*pairs, *other_pairs])
    return f"<call{attributes}>{''.join(args)}</call>" if args else f"<call{attributes}/>"


def _format_attribute(key: str, value: Json, declared: frozenset[str]) -> str | None:
    """Write a value as an attribute; `None` if it would be read differently."""
    if not NAME.fullmatch(key) or key in _NO_ARGUMENTS or key[:3].lower() == "xml":
        return None
    if isinstance(value, str):
        is_text = not declared or "string" in declared
        return value if is_text and "\n" not in value and "\r" not in value and not NOT_XML.search(value) else None
    is_literal = "string" not in declared and not isinstance(value, (list, dict)) and is_spelled_as(value, declared)
    return write_json(value) if is_literal else None


def _write_argument(key: str, value: Json) -> str:
    """Write an argument as an element."""
    attributes = write_attributes([("key", key)])
    if isinstance(value, str) and not NOT_XML.search(value):
        return _format_argument(attributes, "string", value)
    return _format_argument(attributes, "json", write_json(value))


def _format_argument(attributes: str, kind: str, value: str) -> str:
    return write_leaf("arg", f'{attributes} type="{kind}"', value)


def _report_wrong_type(element: Element, name: str, value: str, declared: frozenset[str]) -> Diagnostic:
    expected = " or ".join(sorted(declared))
    short = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}..."
    label = Label(element.span, f"`{name}` has to be of type {expected}")
    cure = f'write a value of that type, or `type="string"` in the `<param>` of `{name}`'
    return error("unreadable-argument", f"the argument `{name}` is `{short}`, expected {expected}", label, help=cure)


def _read_argument(element: Element, tool: Tool | None, problems: list[Diagnostic]) -> Mapping[str, Json]:
    """Read the argument of an element, or all arguments if it has no key."""
    key, kind = element.attributes.get("key"), element.attributes.get("type")
    declared = frozenset() if key is None else find_types(tool, key)
    is_text = kind == "string" or (kind is None and "string" in declared)
    if key is not None and is_text:
        return {key: element.text}
    try:
        value = strict_json(element.text)
    except JsonFault as fault:
        if len(problems) < MOST_PROBLEMS:
            what = "the text of an `arg` without a key" if key is None else f"the argument `{key}`"
            problems.append(bad_json(element.span, what, str(fault), _suggest_json(key, element.text, tool)))
        return {} if key is None else {key: element.text}
    if key is not None:
        return {key: value}
    if not isinstance(value, dict):
        if len(problems) < MOST_PROBLEMS:
            label = Label(element.span, "no key says which argument this is")
            problems.append(error("bad-json", "the arguments are not a JSON object", label, help=_CURE_OF_ALL))
        return {}
    return value


def _suggest_json(key: str | None, text: str, tool: Tool | None) -> str:
    """Suggest what to write instead of invalid JSON."""
    if text.lstrip()[:1] in ("{", "[", '"'):
        return CURE_OF_JSON
    if key is None:
        return _CURE_OF_ALL
    text_json = write_json(text) if len(text) <= _MOST_SHOWN else '"..."'
    declared = find_types(tool, key)
    examples = {"array": f"[{text_json}]", "object": f'{{"key": {text_json}}}', "integer": "1", "number": "1.5"}
    suggestions = [example for kind, example in {**examples, "boolean": "true"}.items() if kind in declared]
    if not suggestions:
        return f'write `{text_json}` as JSON, or `type="string"` for text'
    return f"write {' or '.join(f'`{each}`' for each in suggestions)}"
