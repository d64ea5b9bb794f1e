"""The canonical text of a playbook, and its schema."""

import json
from dataclasses import replace

import jsonschema
import yaml
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.scalars import block_scalar, flow_scalar, line_scalar
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section
from acdl_mkdocs.playbook.store import digest_of, read_playbook, text_of, write_playbook
from acdl_mkdocs.playbook.store.load import load_bytes
from acdl_mkdocs.playbook.store.read_playbook import read_any_layout
from acdl_mkdocs.playbook.store.write_playbook import schema_text
from store.playbooks import TEXTS, playbooks

WHOLE = Playbook(
    "docs-agent",
    42,
    (Section("tool_usage", "Tool usage"), Section("general", "General")),
    (
        Bullet(
            id="tu-7k3q9f2m",
            section="tool_usage",
            content="Paginate list endpoints until an empty page comes back.",
            pinned=True,
            helpful=12,
            harmful=1,
            neutral=3,
            seen=40,
            applies_to=("acdl:ReactAgent", "fragment:ToolResult"),
            source=(Provenance("reflector", "run-17", "s3", "deepseek-v3.1"),),
            added=12,
            updated=42,
        ),
        Bullet(
            id="gen-0123abcd",
            section="general",
            content="```\nno: 1\n\n  # kept\n```",
            status="archived",
            reason="no longer true: see the docs",
            source=(Provenance("person"), Provenance("import", reference="notes, page 3")),
            aliases=("gen-old",),
        ),
    ),
    (Pair("gen-0123abcd", "tu-7k3q9f2m", "kept", 0.5, "numbers differ: 5 / 50"),),
    Policy(budget_model_tokens=4000),
)
TEXT = """\
schema_version: 1
name: docs-agent
revision: 42
policy:
  budget_model_tokens: 4000
sections:
- {id: tool_usage, title: Tool usage}
- {id: general, title: General}
bullets:
- id: tu-7k3q9f2m
  section: tool_usage
  content: Paginate list endpoints until an empty page comes back.
  pinned: true
  helpful: 12
  harmful: 1
  neutral: 3
  seen: 40
  applies_to: [acdl:ReactAgent, fragment:ToolResult]
  source: {run: run-17, sample: s3, by: reflector, model: deepseek-v3.1}
  added: 12
  updated: 42

- id: gen-0123abcd
  section: general
  content: |-
    ```
    no: 1

      # kept
    ```
  status: archived
  reason: "no longer true: see the docs"
  helpful: 0
  harmful: 0
  source:
  - {by: person}
  - {by: import, reference: "notes, page 3"}
  aliases: [gen-old]
  added: 0
  updated: 0
pairs:
- {a: gen-0123abcd, b: tu-7k3q9f2m, verdict: kept, score: 0.5, why: "numbers differ: 5 / 50"}
"""


def test_the_text_has_a_fixed_form() -> None:
    """Keys have their order, a blank line stands between bullets, and quotes only where they are needed."""
    assert text_of(WHOLE) == TEXT
    assert read_playbook(TEXT).playbook == WHOLE


TYPED = (*" :#-|[]{}\"'\n0x", "\n\n- ", "  ", "# x\n", "true", "pairs:\n")


@given(playbooks())
def test_a_playbook_is_read_as_it_was_written(playbook: Playbook) -> None:
    """Any playbook is the same after it was written and read, and its text is the same when it is written again."""
    text = text_of(playbook)
    loaded = read_playbook(text)
    assert loaded.problems == ()
    assert loaded.playbook == playbook
    assert text_of(loaded.playbook, loaded.comments) == text
    assert loaded.comments.stray is None
    assert read_any_layout(Source(text)) == replace(loaded, source=Source(text))


@given(playbooks())
@examples(25)
def test_a_written_playbook_fits_its_schema(playbook: Playbook) -> None:
    """Editors find nothing wrong with a file that was written."""
    _VALIDATOR.validate(yaml.safe_load(text_of(playbook)))


_SCHEMA = json.loads(schema_text())
_VALIDATOR = jsonschema.Draft202012Validator(_SCHEMA)


@given(TEXTS)
def test_every_reader_of_yaml_reads_a_text_as_text(text: str) -> None:
    """A text is what it was for readers of YAML 1.1 too, in each of the three ways it can be written."""
    if text:
        for written in (f"k: {block_scalar(text, '')}\n", f"k: {line_scalar(text)}\n", f"{{k: {flow_scalar(text)}}}\n"):
            assert yaml.safe_load(written) == {"k": text}


@given(playbooks(), st.integers(1, 5))
def test_the_digest_is_that_of_everything(playbook: Playbook, more: int) -> None:
    """Playbooks that differ have other digests, equal ones the same."""
    other = Playbook(
        playbook.name, playbook.revision + more, playbook.sections, playbook.bullets, playbook.pairs, playbook.policy
    )
    assert digest_of(playbook) != digest_of(other)
    again = read_playbook(text_of(playbook)).playbook
    assert again is not None
    assert digest_of(again) == digest_of(playbook)


@given(
    playbooks(),
    st.integers(0, 2000),
    st.sampled_from((*" :#-|[]{}\"'\n0x", "\n\n- ", "  ", "# x\n", "true", "pairs:\n")),
)
def test_a_text_that_was_touched_is_read_as_by_yaml(playbook: Playbook, at: int, put: str) -> None:
    """Whatever a person types into a file, the fast reader finds what the other finds, or leaves it to that."""
    text = text_of(playbook)
    touched = text[: at % len(text)] + put + text[at % len(text) :]
    assert read_playbook(touched, "x") == read_any_layout(Source(touched, "x"))


def test_the_schema_is_one() -> None:
    """The schema is a valid schema, and has every key that files can have."""
    jsonschema.Draft202012Validator.check_schema(_SCHEMA)
    assert tuple(_SCHEMA["properties"]) == write_playbook.TOP
    for name, keys in (
        ("bullet", write_playbook.BULLET),
        ("section", write_playbook.SECTION),
        ("pair", write_playbook.PAIR),
        ("policy", write_playbook.POLICY),
        ("source", write_playbook.SOURCE),
    ):
        assert tuple(_SCHEMA["$defs"][name]["properties"]) == keys


def test_what_refine_can_be() -> None:
    """The message about a wrong word also names the form that is not a word."""
    text = "schema_version: 1\nname: p\nrevision: 0\npolicy: {refine: sometimes}\nsections: []\nbullets: []\n"
    (problem,) = load_bytes(text.encode(), "p.yaml").problems
    assert "`after-each-delta` or `{every: 10}`" in problem.message
