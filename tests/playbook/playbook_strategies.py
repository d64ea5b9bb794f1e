"""Playbooks and deltas for Hypothesis: few words, so that texts often say the same, and ids that often exist."""

from typing import get_args

from hypothesis import strategies as st

from acdl_mkdocs.playbook.model.bullets import (
    PRUNED,
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Section,
    Status,
    Verdict,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import (
    Add,
    AddSection,
    Approve,
    Conflict,
    Keep,
    Merge,
    Pin,
    Remove,
    Revive,
    TagBullet,
    Update,
)

SECTIONS = (Section("general", "General"), Section("tool_usage", "Tool usage"))
IDS = tuple(f"gen-{letter * 8}" for letter in "abcdef")
SENTENCES = (
    "Retry transient failures with backoff.",
    "Do not retry transient failures with backoff.",
    "Retry transient failures with backoff",
    "Paginate list endpoints until an empty page comes back.",
    "Paginate the list endpoints until an empty page is returned.",
    "Set a timeout of 5 seconds on every network call.",
    "Set a timeout of 50 seconds on every network call.",
    "```python\nprint(1)\n```",
    "Use UTC for all timestamps.",
)
sentences = st.sampled_from(SENTENCES)
counters = st.integers(0, 50)
provenances = st.builds(
    Provenance, by=st.sampled_from((None, "person", "reflector")), run=st.sampled_from((None, "run-1"))
).filter(lambda each: each != Provenance())


@st.composite
def bullets(draw: st.DrawFn, name: str, content: str) -> Bullet:
    """A bullet of that id and text."""
    statuses: tuple[Status, ...] = ("active", "active", "active", "archived", "proposed")
    status = draw(st.sampled_from(statuses))
    return Bullet(
        id=name,
        section=draw(st.sampled_from([section.id for section in SECTIONS])),
        content=content,
        status=status,
        reason=draw(st.sampled_from(("it was wrong", f"{PRUNED}no space"))) if status == "archived" else None,
        pinned=draw(st.booleans()),
        severity=draw(st.sampled_from(("normal", "critical"))),
        publish=draw(st.booleans()),
        send=draw(st.sampled_from((True, True, False))),
        helpful=draw(counters),
        harmful=draw(counters),
        neutral=draw(counters),
        seen=draw(counters),
        applies_to=tuple(sorted(draw(st.sets(st.sampled_from(("acdl:A", "fragment:B")))))),
        source=tuple(dict.fromkeys(draw(st.lists(provenances, max_size=2)))),
        added=draw(st.integers(0, 5)),
        updated=draw(st.integers(5, 9)),
    )


@st.composite
def playbooks(draw: st.DrawFn) -> Playbook:
    """A playbook whose bullets say different things, in canonical order."""
    names = draw(st.lists(st.sampled_from(IDS), unique=True))
    texts = draw(st.lists(st.sampled_from(SENTENCES[3:]), unique=True, min_size=len(names), max_size=len(names)))
    found = [draw(bullets(name, text)) for name, text in zip(names, texts, strict=True)]
    verdicts: tuple[Verdict, ...] = get_args(Verdict)
    couples = [(a, b) for a in sorted(names) for b in sorted(names) if a < b]
    chosen = draw(st.lists(st.sampled_from(couples), unique=True, max_size=3)) if couples else []
    pairs = [Pair(a, b, draw(st.sampled_from(verdicts)), 0.5) for a, b in chosen]
    budget = draw(st.sampled_from((None, None, 40, 80)))
    policy = Policy(
        budget_model_tokens=budget,
        protect_revisions=draw(st.sampled_from((0, 3, 20))),
        merge_similar=draw(st.sampled_from((None, None, 0.5))),
    )
    return sort_playbook(Playbook("p", 9, SECTIONS, tuple(found), tuple(pairs), policy))


names = st.sampled_from((*IDS, "gen-unknown0"))
operations: st.SearchStrategy[Operation] = st.one_of(
    st.builds(
        Add,
        section=st.sampled_from(("general", "Tool usage", "tool_usge")),
        content=sentences,
        status=st.sampled_from(("active", "active", "proposed")),
    ),
    st.builds(Update, bullet_id=names, content=st.none() | sentences, section=st.sampled_from((None, "tool_usage"))),
    st.builds(TagBullet, bullet_id=names, tag=st.sampled_from(("helpful", "harmful", "neutral"))),
    st.builds(Remove, bullet_id=names, reason=st.sampled_from(("", "wrong")), superseded_by=st.none() | names),
    st.builds(Merge, bullet_id=names, others=st.lists(names, max_size=2).map(tuple), content=st.none() | sentences),
    st.builds(Keep, bullet_id=names, other=names),
    st.builds(Conflict, bullet_id=names, other=names),
    st.builds(Pin, bullet_id=names, pinned=st.booleans()),
    st.builds(Revive, bullet_id=names),
    st.builds(Approve, bullet_id=names, section=st.sampled_from((None, "tool_usage"))),
    st.builds(AddSection, title=st.sampled_from(("General", "New things", "# no"))),
)
actors = st.sampled_from(("person", "curator"))
