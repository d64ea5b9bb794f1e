"""The resources for agents: the skill, the language in short, the grammar, rules and examples.

Everything has an address that begins with `acdl://`. Knows no protocol.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.problems import rule_texts
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.frontends.mcp.answers import CallError, format_list
from acdl_mkdocs.language.syntax.nodes import Comment
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.pragmas import front_words

SCHEME = "acdl://"
MARKDOWN, PLAIN, YAML = "text/markdown", "text/plain", "application/yaml"
_ASSETS = Path(str(files("acdl_mkdocs"))) / "assets"
_EXAMPLES = (_ASSETS / "examples", Path(str(files("acdl_mkdocs"))).parent / "examples")
"""The folders of examples: in an installed package, and in a checkout."""
_SHORT = "## The language in short"
_STATE = ".state.yaml"


@dataclass(frozen=True, slots=True)
class Resource:
    """A text to read."""

    uri: str
    name: str
    about: str
    mime_type: str = MARKDOWN


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """A set of texts to read, by name."""

    uri: str
    """The URI with `{name}` for the name."""
    name: str
    about: str
    mime_type: str = MARKDOWN


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """The contents of a resource."""

    uri: str
    text: str
    mime_type: str


RESOURCES = (
    Resource(
        "acdl://skill", "skill", "How to write, check and read ACDL, to extract specs from code, and to keep both"
    ),
    Resource("acdl://language", "language", "The language on one page, with the mistakes that are made most often"),
    Resource("acdl://grammar", "grammar", "The grammar of the language", PLAIN),
    Resource("acdl://rules", "rules", "All rules of `check` with their problems; acdl://rules/NAME is one"),
    Resource("acdl://examples", "examples", "Specs of real systems; acdl://examples/NAME is one"),
)
TEMPLATES = (
    ResourceTemplate("acdl://rules/{name}", "rule", "A rule with its reason, an example, and what to write instead"),
    ResourceTemplate("acdl://examples/{name}", "example", "A spec of a real system, and its sample state", PLAIN),
)


def read_resource(uri: str) -> tuple[ResourceContent, ...]:
    """Return the contents at an address.

    Raises:
        CallError: There is nothing.
    """
    kind, _, name = uri.removeprefix(SCHEME).partition("/")
    if uri.startswith(SCHEME) and name and kind in ("rules", "examples"):
        return _read_rule(uri, name) if kind == "rules" else _read_example(uri, name)
    texts = {
        "skill": skill_text,
        "language": language_text,
        "grammar": _grammar_text,
        "rules": _format_rules,
        "examples": _format_examples,
    }
    resource = next((each for each in RESOURCES if each.uri == uri), None)
    if resource is None:
        addresses = [each.uri for each in (*RESOURCES, *TEMPLATES)]
        near = find_closest(uri, addresses)
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(addresses)}"
        raise CallError(f"there is nothing at `{uri[:120]}`", cure)
    return (ResourceContent(uri, texts[resource.name](), resource.mime_type),)


def list_names(kind: str) -> tuple[str, ...]:
    """Return the names that a template accepts: of `rules`, or of `examples`."""
    return all_names() if kind == "rules" else tuple(each.stem for each in _find_examples())


def skill_text() -> str:
    """Return the skill that teaches ACDL to a coding agent."""
    return (_ASSETS / "skill" / "SKILL.md").read_text("utf-8")


def language_text() -> str:
    """Return the part of the skill about the language."""
    text = skill_text()
    start = text.index(_SHORT)
    return text[start : text.index("\n## ", start + 1)].rstrip() + "\n"


def _grammar_text() -> str:
    return files("acdl_mkdocs").joinpath("language/syntax/grammar.lark").read_text("utf-8")


def _format_rules() -> str:
    return format_list("# Rules", {name: rule_page(name).problem for name in all_names()}) + "\n"


def _read_rule(uri: str, name: str) -> tuple[ResourceContent, ...]:
    _require_known(name, all_names(), "rule")
    return (ResourceContent(uri, rule_texts.to_text(rule_page(name)), PLAIN),)


def _format_examples() -> str:
    return format_list("# Examples", {path.stem: _title_of(path) for path in _find_examples()}) + "\n"


def _read_example(uri: str, name: str) -> tuple[ResourceContent, ...]:
    paths = {path.stem: path for path in _find_examples()}
    _require_known(name, tuple(paths), "example")
    path = paths[name]
    state = path.with_name(f"{name}{_STATE}")
    contents = [ResourceContent(uri, path.read_text("utf-8"), PLAIN)]
    if state.exists():
        contents.append(ResourceContent(f"{uri}{_STATE}", state.read_text("utf-8"), YAML))
    return tuple(contents)


def _require_known(name: str, names: tuple[str, ...], noun: str) -> None:
    if name not in names:
        near = find_closest(name, names)
        cure = f"did you mean `{near}`?" if near else f"{SCHEME}{noun}s lists them"
        raise CallError(f"there is no {noun} `{name[:80]}`", cure)


@cache
def _find_examples() -> tuple[Path, ...]:
    """Return the example specs that come with the package."""
    folder = next((each for each in _EXAMPLES if each.is_dir()), None)
    return tuple(sorted(folder.glob("*.acdl"))) if folder is not None else ()


def _title_of(path: Path) -> str:
    """Return the description of a spec: the title, else the first comment."""
    comments = list(_read_top_comments(path))
    title = front_words(comments).get("title")
    return title or next((" ".join(each.text.split()) for each in comments), "a spec")


def _read_top_comments(path: Path) -> Iterator[Comment]:
    """Yield the comments at the top of a file."""
    for item in parse(Source(path.read_text("utf-8"), path.name)).file.items:
        if not isinstance(item, Comment):
            return
        yield item
