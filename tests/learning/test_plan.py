"""Which questions are asked when, answered together, and curated together."""

from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.playbook.learn.commit import Plan
from acdl_mkdocs.playbook.learn.datasets import Sample


def plan(*sizes: int, window: int = 1, batch: int = 1, is_online: bool = False) -> Plan:
    """A plan of epochs of so many questions."""
    epochs = tuple(tuple(Sample(f"{n}", f"q{n}") for n in range(size)) for size in sizes)
    return Plan(epochs, window, batch, is_online)


def test_windows_and_batches() -> None:
    """None spans two epochs; what is left of a window is gone on with from where it was left."""
    found = plan(5, 3, window=4, batch=2)
    assert [each.n for each in found.window_after(0)] == [1, 2, 3, 4]
    assert [each.n for each in found.window_after(2)] == [3, 4]
    assert [each.n for each in found.window_after(4)] == [5]
    assert [(each.n, each.epoch, each.sample) for each in found.window_after(5)] == [
        (6, 2, "0"),
        (7, 2, "1"),
        (8, 2, "2"),
    ]
    assert found.window_after(8) == []
    assert [[each.n for each in batch] for batch in found.split_batches(found.window_after(5))] == [[6, 7], [8]]
    assert [found.n_before_in_window(n) for n in (1, 4, 5, 6, 8)] == [0, 3, 0, 0, 2]


def test_warm_up() -> None:
    """The last epoch of an online run is its stream."""
    found = plan(2, 2, 3, is_online=True)
    assert [found.is_warm_up(n) for n in (1, 2, 3)] == [True, True, False]
    assert not plan(2, 2).is_warm_up(1)


def test_when_validation_is_due() -> None:
    """Before the first question, then after so many or after each epoch; an end of both counts once."""
    found = plan(4, 4)
    assert [found.n_points(n, None) for n in range(9)] == [1, 1, 1, 1, 2, 2, 2, 2, 3]
    assert [found.n_points(n, 2) for n in range(9)] == [1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert [found.n_points(n, 3) for n in range(9)] == [1, 1, 1, 2, 3, 3, 4, 4, 5]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 3), st.data())
def test_every_question_once(sizes: list[int], batch: int, n_batches: int, data: st.DataObject) -> None:
    """Whatever was done before, all other questions follow in their order, each in one batch, whole but at the ends."""
    found = plan(*sizes, window=batch * n_batches, batch=batch)
    n_done = data.draw(st.integers(0, len(found.questions)))
    asked: list[int] = []
    while window := found.window_after(n_done + len(asked)):
        for each in found.split_batches(window):
            asked += [place.n for place in each]
            assert len(each) <= batch
            assert len({place.epoch for place in each}) == 1
            in_epoch, size = found.position_in_epoch(asked[-1])
            assert in_epoch % batch == 0 or in_epoch == size
    assert asked == list(range(n_done + 1, sum(sizes) + 1))
