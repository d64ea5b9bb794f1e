# ruff: noqa: ARG001 - every surface is given the same
"""Where a text of somebody gets into a page: each surface is a name and what it writes for one text.

A surface gives the Markdown of its place in a page, and may write files of the project for it.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol
from xml.sax.saxutils import quoteattr

from acdl_mkdocs.prompts.prompt import Json

Write = Callable[[str, str], None]
"""Puts a text into a file of the project."""


class Surface(Protocol):
    """Gives the Markdown for a text; `number` makes names of files and ids its own."""

    def __call__(self, text: str, number: int, write: Write) -> str:
        """Write what is needed, and give the part of the page."""


def value(text: str) -> str:
    """A text as the value of an option of a block."""
    return '"' + _line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def block(opening: str, *lines: str) -> str:
    """A block whose fence the text does not end by itself."""
    return "\n".join((f"~~~~~~ {opening}", *lines, "~~~~~~", ""))


def _line(text: str) -> str:
    return " ".join(text.split("\n"))


def _spec(number: int, *lines: str) -> str:
    inside = "\n".join(f"    {line}" for line in lines)
    return f"S{number}[@T]: {{\n{inside}\n    U: env.q[@T]\n}}"


def _string(text: str) -> str:
    return '"' + _line(text).replace('"', '\\"') + '"'


def _state(text: str) -> str:
    step: Json = {"env": {"q": text, "list": [text, {text[:200]: text}]}, "resp": {"a": text}, "sys": {"s": text}}
    state: Json = {"acdl_state": 1, "at": 1, "templates": {"RULES": text}, "steps": {"1": step}}
    return json.dumps(state)


def _run(text: str, *, is_other: bool = False) -> str:
    messages = [{"role": "system", "content": text}, {"role": "assistant" if is_other else "user", "content": text}]
    lines = [
        {"model": text, "messages": [*messages[:2], {"role": "user", "content": text}]},
        {"model": "m", "messages": messages},
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _options(text: str, number: int, write: Write) -> str:
    given = value(text)
    return block(f"acdl title={given} caption={given} id=o{number}", _spec(number))


def _anchors(text: str, number: int, write: Write) -> str:
    word = "".join(_line(text).split())
    return block(f"acdl id={value(text)} .{word}", _spec(number)) + "\n" + block(f"acdl #{word}", _spec(number))


def _unknown_option(text: str, number: int, write: Write) -> str:
    return (
        block(f"acdl {_line(text)} title={value(text)}", _spec(number))
        + "\n"
        + block(f"acdl show={value(text)} width={value(text)} spec={value(text)} at={value(text)}", _spec(number))
    )


def _raw(text: str, number: int, write: Write) -> str:
    return "\n".join(block(f"acdl show={show}", text) for show in ("both", "source", "text", "side"))


def _literal(text: str, number: int, write: Write) -> str:
    comments = f"// {_line(text)}", f"RULES // <- {_line(text)}", f"// <- {_line(text)}:40"
    inside = (
        f"S: {{ {_string(text)} RULES({_string(text)}) }}",
        *comments[:1],
        f"A: {{ {comments[1]}",
        "}",
        comments[2],
    )
    return "\n".join(
        block(f"acdl show={show} header=on id=l{show}{number}", f"// {_line(text)}", _spec(number, *inside))
        for show in ("both", "text")
    )


def _name(text: str, number: int, write: Write) -> str:
    word = _line(text)
    return block(
        "acdl", f"{word}[@T]: {{ U: {{ Frag {word}[@T] env.{word}[@T] sys.{word} }} }}", f"StrFrag {word}[x]: {{ $x }}"
    )


def _inside(text: str, number: int, write: Write) -> str:
    said = _string(text)
    loop = f"If sys.mode[@T] == {said} {{ U: {said} }}", f"Mark 1 {{ S: f({said}, {_line(text)}) }}"
    switch = f"Switch sys.m {{ Case {said}: {{ U: X }} Default: {{ U: Y }} }}"
    return block(f"acdl id=i{number}", _spec(number, *loop, switch))


def _comments(text: str, number: int, write: Write) -> str:
    line = _line(text)
    facts = (f"// {each}: {line}" for each in ("title", "tags", "source", "see", "variant-of"))
    write(
        f"specs/{number}/told{number}.acdl",
        "\n".join(
            (
                *facts,
                f"// {line}",
                f"Told{number}[@T]: {{",
                f"  S: {_string(text)} // {line}",
                "  Mark 1 { U: env.q[@T] }",
                "}",
                "",
            )
        ),
    )
    write(f"specs/{number}/told{number}.state.yaml", _state(text))
    return f"See [[acdl:Told{number}]].\n"


def _pragmas(text: str, number: int, write: Write) -> str:
    line = _line(text)
    pragmas = (
        f"// acdl: {line}",
        f"// acdl: use {value(text)}",
        f"// acdl: allow({line})",
        f"// state: {line}",
        f"// runs: {line}",
    )
    write(f"specs/{number}/pragma{number}.acdl", "\n".join((*pragmas, f"Pragma{number}[@T]: {{ U: env.q[@T] }}", "")))
    return block(f"acdl id=p{number}", *pragmas, _spec(number))


def _src(text: str, number: int, write: Write) -> str:
    openings = f"src={value(text)}", f"state={value(text)}", f"runs={value(text)}"
    blocks = [block(f"acdl {each}", _spec(number)) for each in openings]
    return "\n".join(
        (*blocks, block(f"pml src={value(text)}"), block(f"acdl-playbook src={value(text)} section={value(text)}"))
    )


def _sampled(text: str, number: int, write: Write) -> str:
    write(f"states/{number}.yaml", _state(text))
    inside = "S: RULES", "A: resp.a[@T]", f"S: {_string(text)}", "S: env.list[@T]"
    return block(f"acdl state=states/{number}.yaml id=s{number}", _spec(number, *inside))


def _bad_state(text: str, number: int, write: Write) -> str:
    write(f"states/bad{number}.yaml", f"acdl_state: 1\n{_line(text)}: {text}\nsteps: [{text}")
    write(
        f"states/odd{number}.yaml",
        json.dumps({"acdl_state": text, text[:500]: text, "steps": {text[:500]: {text[:500]: 1}}}),
    )
    openings = (f"acdl state=states/{each}{number}.yaml id={each}{number}" for each in ("bad", "odd"))
    return "\n".join(block(opening, _spec(number)) for opening in openings)


def _verified(text: str, number: int, write: Write) -> str:
    write(f"runs/{number}.jsonl", _run(text))
    write(f"runs/other{number}.jsonl", _run(text, is_other=True) + text + "\n")
    openings = (f"acdl runs=runs/{each}{number}.jsonl id=v{each}{number}" for each in ("", "other"))
    inspected = f"acdl-inspect src=runs/*{number}.jsonl id=i{number} title={value(text)} caption={value(text)}"
    return "\n".join((*(block(opening, _spec(number, "S: RULES")) for opening in openings), block(inspected)))


def _prompt(text: str, number: int, write: Write) -> str:
    attribute, inside = quoteattr(_line(text)), quoteattr(text)[1:-1]
    param = f'<param key="a" desc={attribute} default={attribute} enum={attribute}/>'
    tool = f'<tools><tool name="W" desc={attribute}>{param}</tool></tools>'
    image = f'<attachment type="image" name={attribute}><content url={attribute}/></attachment>'
    asked, called = f"<user><text>{inside}</text>{image}</user>", f'<call name="W" id="a" a={attribute}/>'
    answered = f'<assistant><text>{inside}</text>{called}</assistant><tool_output id="a">{inside}</tool_output>'
    conversation = f"<conversation topic={attribute}><turn>{asked}{answered}</turn></conversation>"
    document = f"<prompt>{tool}<memory><fact key={attribute}>{inside}</fact></memory>{conversation}</prompt>"
    calls = f'<call name="W" a={attribute}/>'
    return "\n".join(
        (
            block(f"pml id=x{number} title={value(text)}", document),
            block("pml lenient=on", text),
            block("pml", f"<prompt>{text}"),
            block(
                f"laic id=y{number} caption={value(text)}", tool.removeprefix("<tools>").removesuffix("</tools>"), calls
            ),
            block("laic", text),
        )
    )


def _difference(text: str, number: int, write: Write) -> str:
    old, new = _spec(number, f"S: {_string(text)}"), _spec(number, f"A: {_string('x' + text)} // {_line(text)}")
    write(f"old/{number}.acdl", old)
    write(f"states/d{number}.yaml", _state(text))
    return "\n".join(
        (
            block(f"acdl-diff title={value(text)} caption={value(text)} id=d{number}", old, "---", new),
            block(f"acdl-diff old=old/{number}.acdl state=states/d{number}.yaml show=side-by-side id=e{number}", new),
            block(f"acdl-diff old={value(text)} new={value(text)}"),
            block("acdl-diff", text, "---", text),
        )
    )


def _variants(text: str, number: int, write: Write) -> str:
    write(f"old/v{number}.acdl", "\n".join((_spec(number, f"S: {_string(text)}"), "Two[@T]: { U: env.q[@T] }", "")))
    quoted = json.dumps(_line(text)[:300])
    write(f"results/{number}.csv", f"metric,one,{quoted}\n{quoted},1,{quoted}\n")
    specs = (
        f"specs: [{{spec: old/v{number}.acdl#S{number}, name: one}}, {{spec: old/v{number}.acdl#Two, name: {quoted}}}]"
    )
    words = "base: one", f"title: {quoted}", f"caption: {quoted}", f"source: {quoted}"
    inline = f"results: {{{quoted}: {{one: {quoted}, {quoted}: {quoted}}}}}"
    return "\n".join(
        (
            block(f"acdl-variants id=w{number}", specs, *words, inline),
            block(f"acdl-variants id=z{number}", specs, f"results: {{file: results/{number}.csv}}", f"best: {quoted}"),
            block("acdl-variants", text),
        )
    )


def _lesson(text: str, number: int) -> Json:
    return {
        "id": f"ge-{number:08d}",
        "section": "general",
        "content": text,
        "helpful": 1,
        "harmful": 0,
        "source": {"by": text[:200], "reference": text[:500], "run": text[:200]},
        "applies_to": [f"acdl:{_line(text)[:100]}"],
        "added": 1,
        "updated": 1,
    }


def _playbook(text: str, number: int, write: Write) -> str:
    book: Json = {
        "schema_version": 1,
        "name": f"book{number}",
        "revision": 1,
        "sections": [{"id": "general", "title": text[:200]}],
        "bullets": [_lesson(text, number)],
    }
    write(f"books/book{number}.yaml", json.dumps(book))
    bad: Json = {**book, "name": text[:200], "bullets": [{**_lesson(text, number), "id": text[:100], text[:100]: text}]}  # type: ignore[dict-item]
    write(f"books/bad{number}.yaml", json.dumps(bad))
    fences = (
        f"acdl-playbook src=books/{each}{number}.yaml id=b{each}{number} title={value(text)}"
        for each in ("book", "bad")
    )
    return "\n".join(block(each) for each in fences)


def _gallery(text: str, number: int, write: Write) -> str:
    """Only of the specs of this text: a card of each text on each page would be many times the same."""
    given, own = value(text), f"acdl-gallery folder=specs/{number}"
    return "\n".join(
        (
            block(f"{own} id=g{number} tags={given} title={given}"),
            block(f"{own} kinds={given}"),
            block(f"{own}", text),
            block(f"acdl-gallery folder={given}"),
        )
    )


def _reference(text: str, number: int, write: Write) -> str:
    """Only names: what stands around a reference is the page of its author, who may write HTML."""
    name = "".join(each for each in _line(text) if each not in "[]|<>&*_`\\!(){}#:\"'\0$%/\x0b\x0c")
    return f"[[acdl:{name}]] [[acdl:Told{number}#{name}]] [[acdl:Told{number}|words]]\n"


SURFACES: Mapping[str, Surface] = {
    "options": _options,
    "anchors": _anchors,
    "unknown options": _unknown_option,
    "the whole text": _raw,
    "strings and comments": _literal,
    "names": _name,
    "conditions and marks": _inside,
    "what a file says of its spec": _comments,
    "pragmas": _pragmas,
    "paths": _src,
    "states": _sampled,
    "broken states": _bad_state,
    "recorded runs": _verified,
    "prompts and tools": _prompt,
    "differences": _difference,
    "variants": _variants,
    "playbooks": _playbook,
    "galleries": _gallery,
    "references": _reference,
}
"""All of them."""


def page(text: str, number: int, write: Write, surfaces: Iterable[str] = SURFACES) -> str:
    """One page with a text in each place that takes texts."""
    parts = (f"## {name.capitalize()} here\n\n{SURFACES[name](text, number, write)}" for name in surfaces)
    return f"# Page {number}\n\n" + "\n".join(parts)
