"""The folder of a playbook's run, and its accuracy and size over time, for code that shows runs."""

from collections.abc import Mapping
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json

RUN_FILE = "run.json"
"""File in the folder of a run with its settings and progress."""


def run_folder(playbook: Path) -> Path:
    """Return the default folder of the run of a playbook: `playbook.run` for `playbook.yaml`."""
    return playbook.with_name(f"{playbook.stem}.run")


@dataclass(frozen=True, slots=True)
class Point:
    """The results of a playbook at one revision of a run."""

    revision: int
    accuracy: float
    """From 0 to 1."""
    n_bullets: int
    model_tokens: int
    """Of the prompt form of the playbook."""


def read_curve(run: Mapping[str, Json]) -> tuple[Point, ...]:
    """Return the points of a run, by revision; the last one of each revision. Invalid points are left out.

    Parameters:
        run: The data of a run file: its `points` are objects with the names of `Point`.
    """
    points = run.get("points")
    by_revision: dict[int, Point] = {}
    for each in points if isinstance(points, list) else ():
        point = _point(each)
        if point is not None:
            by_revision[point.revision] = point
    return tuple(by_revision[revision] for revision in sorted(by_revision))


def _point(data: Json) -> Point | None:
    if not isinstance(data, dict):
        return None
    revision, accuracy = data.get("revision"), data.get("accuracy")
    sizes = [data.get(key, 0) for key in ("n_bullets", "model_tokens")]
    n_bullets, model_tokens = (each if isinstance(each, int) and not isinstance(each, bool) else 0 for each in sizes)
    is_one = isinstance(revision, int) and isinstance(accuracy, (int, float)) and not isinstance(accuracy, bool)
    if not is_one or not 0 <= float(str(accuracy)) <= 1:
        return None
    return Point(int(str(revision)), float(str(accuracy)), n_bullets, model_tokens)
