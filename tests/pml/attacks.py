"""Documents that are made to hurt whoever reads them, and a program that reads them all."""

import base64
import gc
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator

from steps import n_steps

from acdl_mkdocs.foundation.reports.terminal import report
from acdl_mkdocs.prompts.pml.document_problems import list_call_problems
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.pml.segments import segments
from acdl_mkdocs.prompts.pml.tail import tail
from acdl_mkdocs.prompts.pml.write import write
from pml.peak import peak_megabytes

_DEEP = 200_000


def _in_text(inside: str) -> str:
    return f"<conversation><turn><user><text>{inside}</text></user></turn></conversation>"


def _with_doctype(subset: str, inside: str = "&a;") -> str:
    return f"<!DOCTYPE conversation {subset}>{_in_text(inside)}"


def _billion_laughs() -> str:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return _with_doctype(f'[<!ENTITY e0 "ha">{levels}]', "&e9;")


def _turns(count: int, inside: str) -> str:
    return "<conversation>" + f"<turn>{inside}</turn>" * count + "</conversation>"


def _json(inside: str) -> str:
    call = f'<call name="W"><arg key="a" type="json">{inside}</arg></call>'
    return f"<conversation><turn><assistant>{call}</assistant></turn></conversation>"


def _called(tools: str, calls: Iterable[str]) -> str:
    """A prompt of tools, and of calls that all have a result."""
    turns = "".join(f"<turn><assistant>{each}</assistant><tool_output>x</tool_output></turn>" for each in calls)
    return f"<prompt><tools>{tools}</tools><conversation>{turns}</conversation></prompt>"


def _doubling(n_levels: int) -> str:
    """A schema of which every level is looked at twice by the one above."""
    levels: dict[str, object] = {
        str(level): {"allOf": [{"$ref": f"#/$defs/{level - 1}"}] * 2} if level else {} for level in range(n_levels + 1)
    }
    return json.dumps({"type": "object", "properties": {"a": {"$ref": f"#/$defs/{n_levels}"}}, "$defs": levels})


ATTACKS: dict[str, Callable[[], str | bytes]] = {
    "billion laughs": _billion_laughs,
    "small bomb": lambda: _with_doctype(f'[<!ENTITY a "{"x" * 1000}"><!ENTITY b "{"&a;" * 100}">]', "&b;"),
    "quadratic bomb": lambda: _with_doctype(f'[<!ENTITY a "{"x" * 50_000}">]', "&a;" * 5_000),
    "external entity": lambda: _with_doctype('[<!ENTITY a SYSTEM "file:///etc/passwd">]'),
    "external entity over the network": lambda: _with_doctype('[<!ENTITY a SYSTEM "http://127.0.0.1:1/">]'),
    "external document type": lambda: _with_doctype('SYSTEM "file:///etc/passwd"', ""),
    "parameter entity": lambda: _with_doctype('[<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]', ""),
    "deep nesting": lambda: "<conversation>" * _DEEP + "</conversation>" * _DEEP,
    "deep nesting, never closed": lambda: "<turn>" * _DEEP,
    "deep parameters": lambda: (
        "<tools><tool name='W'>" + "<param key='a'>" * _DEEP + "</param>" * _DEEP + "</tool></tools>"
    ),
    "attributes in one element": lambda: (
        "<conversation " + " ".join(f'a{n}="1"' for n in range(50_000)) + "></conversation>"
    ),
    "attributes in many elements": lambda: (
        "<conversation><turn><assistant>"
        + ("<call name='W' " + " ".join(f'a{n}=""' for n in range(250)) + "/>") * 10_000
        + "</assistant></turn></conversation>"
    ),
    "the same attribute twice": lambda: "<conversation " + 'a="1" ' * 50_000 + "/>",
    "namespaces in one element": lambda: (
        "<conversation " + " ".join(f'xmlns:a{n}="u{n}"' for n in range(50_000)) + "></conversation>"
    ),
    "namespaces in many elements": lambda: _turns(90_000, "").replace(
        "<turn>", '<turn xmlns:x="urn:acdl-mkdocs:pml:1">'
    ),
    "many elements": lambda: _turns(1_000_000, ""),
    "many wrong elements": lambda: _turns(90_000, "<usr/>"),
    "many wrong attributes": lambda: _turns(90_000, "").replace("<turn>", '<turn indx="1">'),
    "many wrong names": lambda: "<conversation>" + "".join(f"<e{n}/>" for n in range(90_000)) + "</conversation>",
    "prompts in a row": lambda: f"<prompt>{'<prompt/>' * 90_000}</prompt>",
    "loose turns": lambda: f"<prompt>{'<turn/>' * 90_000}</prompt>",
    "blanks in messages": lambda: f"<conversation><turn><user>{'<text/> ' * 60_000}a</user></turn></conversation>",
    "words in messages": lambda: _turns(9_000, "<user>a<text>x</text>b</user>"),
    "many calls without result": lambda: _turns(20_000, '<assistant><call name="W"/></assistant>'),
    "many results without call": lambda: _turns(20_000, '<tool_output id="1">x</tool_output>'),
    "calls, then results of others": lambda: (
        "<conversation><turn><assistant>"
        + "".join(f'<call name="W{n}" id="{n}"/>' for n in range(20_000))
        + "</assistant></turn><turn>"
        + "".join(f'<tool_output name="V{n}">x</tool_output>' for n in range(20_000))
        + "</turn></conversation>"
    ),
    "text over the limit": lambda: _in_text("x" * 32_000_000),
    "large text": lambda: _in_text("x" * 30_000_000),
    "large text of references": lambda: _in_text("&amp;" * 4_000_000),
    "large text of lines": lambda: _in_text("\r\n" * 8_000_000),
    "large comment": lambda: _in_text(f"<!--{'x>' * 10_000_000}-->"),
    "large comment, never closed": lambda: _in_text(f"<!--{'x' * 20_000_000}"),
    "large attribute": lambda: f'<conversation topic="{"x" * 20_000_000}"/>',
    "large attribute, never closed": lambda: f'<conversation topic="{"x>" * 10_000_000}',
    "large tag of quotes": lambda: "<conversation " + "a='\"' " * 3_000_000,
    "many opening signs": lambda: "<" * 10_000_000,
    "many ampersands": lambda: _in_text("&" * 10_000_000),
    "many CDATA sections": lambda: _in_text("<![CDATA[]]>" * 1_000_000),
    "many comments": lambda: _in_text("<!---->" * 1_000_000),
    "one mistake behind many lines": lambda: f"<conversation>{chr(10) * 20_000_000}<trun/></conversation>",
    "words behind many lines": lambda: _in_text(f"{chr(10) * 15_000_000}\u00e9"),
    "many instructions": lambda: _in_text("<?a?>" * 1_000_000),
    "end of CDATA in text": lambda: _in_text("a ]]> b"),
    "escape character": lambda: _in_text("\x1b[31m"),
    "escape character as a reference": lambda: _in_text("&#27;"),
    "no character": lambda: _in_text("\x00"),
    "lone surrogate": lambda: _in_text("\ud800"),
    "UTF-7": lambda: b'<?xml version="1.0" encoding="UTF-7"?><conversation>+ADw-</conversation>',
    "UTF-16": lambda: _in_text("x").encode("utf-16"),
    "UTF-16 without mark": lambda: _in_text("x").encode("utf-16-le"),
    "UTF-32": lambda: _in_text("x").encode("utf-32"),
    "Latin 1": lambda: ('<?xml version="1.0" encoding="ISO-8859-1"?>' + _in_text("ä")).encode("latin-1"),
    "no UTF-8": lambda: _in_text("x").encode().replace(b"x", b"\xff\xfe"),
    "overlong UTF-8": lambda: _in_text("x").encode().replace(b"x", b"\xc0\xbc"),
    "deep JSON": lambda: _json("[" * 100_000 + "]" * 100_000),
    "JSON, never closed": lambda: _json('{"a":' * 1_000_000),
    "the same key of JSON twice": lambda: _json('{"path": "a", "path": "/etc/passwd"}'),
    "long number": lambda: _json("9" * 1_000_000),
    "no number": lambda: _json("NaN"),
    "large base64": lambda: (
        '<conversation><turn><user><attachment type="image"><content encoding="base64">'
        + base64.b64encode(b"x" * 15_000_000).decode()
        + "</content></attachment></user></turn></conversation>"
    ),
    "spaces in base64": lambda: (
        '<conversation><turn><user><attachment type="image"><content encoding="base64">'
        + " \n" * 5_000_000
        + "</content></attachment></user></turn></conversation>"
    ),
    "calls of a doubling schema": lambda: _called(
        f'<tool name="W"><schema>{_doubling(20)}</schema></tool>', ['<call name="W" a="1"/>'] * 1_000
    ),
    "calls of many unknown tools": lambda: _called(
        "".join(f'<tool name="tool_{n}"/>' for n in range(5_000)), (f'<call name="toll_{n}x"/>' for n in range(5_000))
    ),
    "calls with many unknown arguments": lambda: _called(
        f'<tool name="W">{"".join(f"""<param key="parameter_{n}"/>""" for n in range(3_000))}</tool>',
        (f'<call name="W" paramter_{n}x="1"/>' for n in range(3_000)),
    ),
    "calls with a value of a long list": lambda: _called(
        f'<tool name="W"><param key="a" enum="{"|".join(f"v{n}" for n in range(200_000))}"/></tool>',
        ['<call name="W" a="x"/>'] * 1_000,
    ),
    "calls with a right value of a long list": lambda: _called(
        f'<tool name="W"><param key="a" enum="{"|".join(f"v{n}" for n in range(200_000))}"/></tool>',
        ['<call name="W" a="v199999"/>'] * 5_000,
    ),
    "calls that lack one of many arguments": lambda: _called(
        f'<tool name="W">{"".join(f"""<param key="p{n}" req="1"/>""" for n in range(50_000))}</tool>',
        [f'<call name="W">{"".join(f"""<arg key="p{n}"/>""" for n in range(1_000))}</call>'] * 2,
    ),
    "a call with one argument many times": lambda: _called(
        '<tool name="W"><param key="a"/></tool>',
        ["<call name='W'>" + "<arg key='a' type='string'>x</arg>" * 49_000 + "</call>"],
    ),
}
"""What each is, and how it is made."""
_OF_CALLS = ("calls ", "a call ")
"""Thousands of tools and calls, each compared with each, would be too quick for a wide limit: steps are counted."""


def main(every: int = 1) -> None:
    """Read every so many attacks in both ways, and say what came of it as JSON, with the memory beside the modules."""
    before = peak_megabytes()
    found = {}
    for name, make in list(ATTACKS.items())[::every]:
        found[name] = _reading(name, make())
        gc.collect()  # what the one before has left is not what this one needs
    sys.stdout.write(json.dumps({"attacks": found, "megabytes": peak_megabytes() - before}))


def _reading(name: str, text: str | bytes) -> dict[str, object]:
    seconds_lenient = _once(text, is_lenient=True)[1]
    strict, seconds = _once(text, is_lenient=False)
    return {
        "rules": sorted({problem.rule for problem in (*strict.problems, *list_call_problems(strict))}),
        "is_sound": _is_sound(strict),
        "seconds": [seconds, seconds_lenient, *_uses(strict, text)],
        "steps": n_steps(lambda: _once(text, is_lenient=False)) if name.startswith(_OF_CALLS) else 0,
    }


def _uses(found: ReadPml, text: str | bytes) -> Iterator[float]:
    """The time of each thing that is done with what was read: telling, writing, listing, looking for calls."""
    prompt, answer = found.prompt, text if isinstance(text, str) else text.decode("latin-1")
    yield _seconds(lambda: [report([each], found.source) for each in (*found.problems, *list_call_problems(found))])
    yield _seconds(lambda: tail(answer))
    if prompt is not None:
        yield _seconds(lambda: write(prompt))
        yield _seconds(lambda: [found.source.find_place(found.places[path].start) for path in found.places])
        yield _seconds(lambda: list(segments(prompt)))


def _seconds(use: Callable[[], object]) -> float:
    start = time.process_time()
    use()
    return time.process_time() - start


def _once(text: str | bytes, *, is_lenient: bool) -> tuple[ReadPml, float]:
    """What is read, and the time of reading it and of measuring its calls."""
    start = time.process_time()
    found = read(text, is_lenient=is_lenient)
    list(list_call_problems(found))
    return found, time.process_time() - start


def _is_sound(found: ReadPml) -> bool:
    n_characters = max(len(found.source.text), 1)
    spans = [problem.label.span for problem in found.problems]
    has_cures = all(problem.help for problem in found.problems)
    return has_cures and all(0 <= span.start <= span.end <= n_characters for span in spans)
