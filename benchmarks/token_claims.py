"""What the proposal of PML and LAIC says about model tokens, and what they are in the corpus of `tokens.py`."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from token_corpus import EXACT, IN_FENCES, PROPOSED, corpus, files_of, sums

from acdl_mkdocs.prompts.pml.calls import write_call
from acdl_mkdocs.prompts.pml.instructions import instructions
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Prompt
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.prompts.tokens.spellings import BASE

_USER = '<user role="user"><text>Hi</text></user>'
_SHORT_USER = "<user><text>Hi</text></user>"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that is said about the formats, and what is counted."""

    said: str
    counted: str
    """Numbers, in each encoding."""
    verdict: str


def claims() -> list[Claim]:
    """What the proposal says, and what it is in this corpus."""
    trigger = _each('[#W: "San Francisco"]')
    call = write_call(Call("W", {"loc": "San Francisco"}))
    proposed = '{"tool": "get_weather", "location": "San Francisco"}'
    same = '{"tool": "W", "loc": "San Francisco"}'
    tags = [_each(each) for each in ("<call", "<tool", "<text>", "</text>", "<attachment", "</tool_output>")]
    return [
        Claim('The trigger `[#W: "San Francisco"]` is 3-5 tokens', _listed(trigger), "does not hold"),
        Claim(
            f"`{call}` is shorter than `{proposed}`",
            f"{_listed(_each(call))} against {_listed(_each(proposed))}",
            f"holds for this pair; with the same short names, JSON (`{same}`) is {_listed(_each(same))}",
        ),
        Claim(
            "A call takes far fewer tokens than JSON",
            f"{_against(PROPOSED, BASE, 'calls')} of compact JSON as proposed, "
            f"{_against('PML', BASE, 'calls')} with ids and types",
            "holds against a provider's JSON; the larger part of the saving is what the short form leaves out",
        ),
        Claim(
            "Tools in tags are more compact than JSON",
            f"{_against(PROPOSED, BASE, 'tools')} of compact JSON as proposed, "
            f"{_against('LAIC', BASE, 'tools')} without loss",
            "holds a little; what open models get is shorter than both",
        ),
        Claim(
            "JSON can use twice as many tokens as other formats",
            f"whole prompts, compact JSON to PML {_against(BASE, 'PML')}, indented to PML "
            f"{_against('JSON pretty', 'PML')}, indented to Markdown {_against('JSON pretty', 'Markdown')}; "
            f"tools alone, indented to PML {_against('JSON pretty', 'PML', 'tools')}",
            "nearly, for indented tools alone; not for whole prompts",
        ),
        Claim(
            "The format saves tokens",
            f"whole prompts, PML to compact JSON {_against('PML', BASE)}, with files in fences "
            f"{_against('PML', IN_FENCES)}, to Markdown {_against('PML', 'Markdown')}",
            "some percent against JSON; it costs more than Markdown, and than what open models get",
        ),
        Claim(
            "A compressed layout without white space pays",
            f"whole prompts, indented to compact {_against('PML pretty', 'PML')}",
            "holds",
        ),
        Claim(
            '`role="user"` is only for clarity',
            f"{_listed([long - short for long, short in zip(_each(_USER), _each(_SHORT_USER), strict=True)])} "
            "more for each message",
            "it costs that; our writer leaves it out",
        ),
        Claim(
            "Tokenizers often have single tokens for `<tool` or whole tags",
            f"`<call`, `<tool`, `<text>`, `</text>`, `<attachment`, `</tool_output>`: {', '.join(map(_listed, tags))}",
            "does not hold for these encodings",
        ),
        Claim(
            "JSON has to escape files, which balloons their tokens; CDATA does not",
            f"the files of the corpus, raw {_listed(_files(lambda text: text))}, in JSON strings "
            f"{_listed(_files(lambda text: json.dumps(text, ensure_ascii=False)))}, in PML {_listed(_files(_in_pml))}",
            "holds, but it is an eighth; PML has entities where CDATA could mislead a model",
        ),
        Claim(
            "Repeated tags are reused tokens",
            "",
            "cannot be seen in counts: a token that stands twice counts twice, in every spelling",
        ),
        Claim(
            "Hundreds of lines of schemas add about 1,300 tokens to each request",
            f"12 tools are {_listed([sums(each)[BASE]['tools'] for each in EXACT])} in JSON and "
            f"{_listed([sums(each)['LAIC']['tools'] for each in EXACT])} in LAIC",
            "in the same order; LAIC adds them too",
        ),
        Claim(
            "A concise rule explains the format to the model",
            f"short {_listed(_each(instructions()))}, full {_listed(_each(instructions((), 'full')))}, without tools",
            "to be added to what PML costs, unless the model knows the format",
        ),
    ]


def _each(text: str) -> list[int]:
    return [counter(each).count(text) for each in EXACT]


def _files(spell: Callable[[str], str]) -> list[int]:
    texts = [spell(text) for text in files_of(corpus().values())]
    return [sum(map(counter(each).count, texts)) for each in EXACT]


def _in_pml(text: str) -> str:
    """The text of a file as it stands between the tags of its content."""
    document = write(Prompt((Message("user", (Attachment("file", text=text),)),)), "min")
    return document.partition("<content>")[2].partition("</content>")[0]


def _against(name: str, other: str, part: str = "whole") -> str:
    """How many times as many tokens a part takes in one spelling as in another."""
    return " / ".join(f"{sums(each)[name][part] / sums(each)[other][part]:.2f}" for each in EXACT)


def _listed(found: Sequence[int]) -> str:
    return " / ".join(f"{each:,}" for each in found)
