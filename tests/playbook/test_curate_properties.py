"""What holds for every delta on every playbook."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from playbook_strategies import actors, operations, playbooks

from acdl_mkdocs.playbook.model.bullets import Playbook, sort_playbook
from acdl_mkdocs.playbook.model.changes import apply_changes, find_changes, revert_changes
from acdl_mkdocs.playbook.model.content import clean_content
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Conflict, Keep
from acdl_mkdocs.playbook.model.plain import bullet_of, playbook_data, playbook_of
from acdl_mkdocs.playbook.model.prompt_text import prompt_text

COUNTERS = ("helpful", "harmful", "neutral", "seen")


def curated(playbook: Playbook, asked: list[Operation], actor: str) -> Curated:
    """The playbook after operations."""
    return curate(playbook, make_delta(*asked), curation_of(playbook, actor))


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_curate_is_deterministic(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """The same delta gives the same playbook and the same report."""
    assert curated(playbook, asked, actor) == curated(playbook_of(playbook_data(playbook)), asked, actor)


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_every_operation_is_told(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """Each operation is applied or rejected, never both, never neither."""
    report = curated(playbook, asked, actor).report
    applied_at = {each.path for each in report.applied if each.path}
    rejected_at = {each.path.partition(".")[0] for each in report.rejected}
    assert applied_at | rejected_at == {f"operations[{idx}]" for idx in range(len(asked))}
    assert not applied_at & rejected_at


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_ids_are_unique_and_never_lost(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """Every id that was ever used still means one bullet, and no new bullet has one of them."""
    after = curated(playbook, asked, actor).playbook
    every = [name for each in after.bullets for name in (each.id, *each.aliases)]
    assert len(every) == len(set(every))
    assert set(playbook.by_id) <= set(every)
    own = {each.id for each in playbook.bullets}
    assert {each.id for each in after.bullets} - own <= set(every) - set(playbook.by_id)


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_counters_never_decrease(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """Whatever happens to a bullet, what was counted stays counted, on it or on the one that it was merged into."""
    after = curated(playbook, asked, actor).playbook
    for each in playbook.bullets:
        assert all(getattr(after.by_id[each.id], name) >= getattr(each, name) for name in COUNTERS)
    for name in COUNTERS:
        assert sum(getattr(each, name) for each in after.bullets) >= sum(
            getattr(each, name) for each in playbook.bullets
        )


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_no_text_is_lost(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """A text that is no longer in the playbook is in the report: as what a bullet was before."""
    done = curated(playbook, asked, actor)
    texts = {each.content for each in done.playbook.bullets}
    texts |= {each.before.content for each in done.report.applied if each.before is not None}
    assert {each.content for each in playbook.bullets} <= texts


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_result_is_a_good_playbook(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """It is in canonical order, can be written and read, its texts are clean and its pairs name bullets."""
    after = curated(playbook, asked, actor).playbook
    assert after == sort_playbook(after)
    assert playbook_of(playbook_data(after)) == after
    assert all(clean_content(each.content).text == each.content for each in after.bullets)
    own = {each.id for each in after.bullets}
    assert all(each.a < each.b and {each.a, each.b} <= own for each in after.pairs)
    assert len({(each.a, each.b) for each in after.pairs}) == len(after.pairs)
    assert {each.section for each in after.active} <= {each.id for each in after.sections}


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_revision_counts_changes(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """A delta that changes anything is one revision, as is one without space; others change nothing."""
    done = curated(playbook, asked, actor)
    after = done.playbook
    if find_changes(playbook, after):
        assert after.revision == playbook.revision + 1
        assert all(each.updated == after.revision for each in after.bullets if each not in playbook.bullets)
    elif after is not playbook:
        assert after == replace(playbook, revision=playbook.revision + 1)
        assert any(each.is_for_space for each in done.report.rejected)


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_changes_can_be_made_and_taken_back(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """The changes between before and after lead from one to the other, both ways."""
    after = curated(playbook, asked, actor).playbook
    found = find_changes(playbook, after)
    assert apply_changes(playbook, found, revision=after.revision) == after
    assert revert_changes(after, found, revision=playbook.revision) == playbook
    assert [bullet_of(each.after) for each in found if each.kind == "bullet" and each.after] == [
        after.by_id[each.id] for each in found if each.kind == "bullet" and each.after
    ]


@given(playbooks(), st.lists(operations, max_size=6))
def test_nobody_else_touches_what_is_protected(playbook: Playbook, asked: list[Operation]) -> None:
    """Only a person has a pinned or critical bullet removed, pruned, rewritten or unpinned."""
    after = curated(playbook, asked, "curator").playbook
    for each in playbook.active:
        if each.pinned or each.severity == "critical":
            now = after.by_id[each.id]
            assert now.is_active
            assert now.pinned or not each.pinned
            assert now.severity == "critical" or each.severity == "normal"


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_budget_is_never_exceeded_further(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """The text form fits the budget, or is not longer than it was but for digits of counters."""
    budget = playbook.policy.budget_model_tokens
    after = curated(playbook, asked, actor).playbook
    count = curation_of(playbook).count
    if budget is not None and after is not playbook:
        texts = [re.sub(r"(helpful|harmful)=\d+", r"\1=0", prompt_text(one)) for one in (playbook, after)]
        assert count(prompt_text(after)) <= budget or len(texts[1]) <= len(texts[0])


@given(playbooks(), st.lists(operations, max_size=6), actors)
def test_decisions_stay(playbook: Playbook, asked: list[Operation], actor: str) -> None:
    """What is known about two bullets is lost only if they become one; a program links nothing by itself."""
    after = curated(playbook, asked, actor).playbook
    known = {(each.a, each.b): each for each in after.pairs}
    for each in playbook.pairs:
        a, b = sorted((after.by_id[each.a].id, after.by_id[each.b].id))
        assert a == b or (a, b) in known
    old = {tuple(sorted((after.by_id[each.a].id, after.by_id[each.b].id))) for each in playbook.pairs}
    said = {name for each in asked if isinstance(each, Keep | Conflict) for name in (each.bullet_id, each.other)}
    new = [each for key, each in known.items() if key not in old]
    ids = {after.by_id[name].id for name in said & set(after.by_id)}
    assert all({each.a, each.b} <= ids and each.by == actor for each in new)
