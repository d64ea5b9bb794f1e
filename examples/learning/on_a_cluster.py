"""Learn a playbook on a Dask cluster: four questions are answered at the same time, wherever there is a worker.

    acdl playbook init playbook.yaml
    python on_a_cluster.py questions.jsonl playbook.yaml MODEL http://localhost:8000/v1 [SCHEDULER]

Without the address of a scheduler, a cluster of this machine is started. What is learned depends on the window, not on
the workers. Workers need `acdl-mkdocs[openai]` and the key of the endpoint in their environment. Killed, the same
command resumes where it was.
"""

import sys
from pathlib import Path

from distributed import Client, LocalCluster

from acdl_mkdocs.playbook.learn.datasets import read_samples
from acdl_mkdocs.playbook.learn.loop import Around, Settings, offline
from acdl_mkdocs.playbook.learn.models.chat_completions import ChatCompletions


def main(dataset: str, playbook: str, model: str, base_url: str, scheduler: str | None = None) -> None:
    """Learn, and say how right the answers were in the course of the run."""
    samples = read_samples(Path(dataset)).samples
    cluster = scheduler or LocalCluster(n_workers=2, processes=False, dashboard_address=None)
    with Client(cluster) as client:
        around = Around(executor=client.get_executor())
        ran = offline(Path(playbook), samples, ChatCompletions(model, base_url), Settings(epochs=2, window=4), around)
    for point in ran.points:
        sys.stdout.write(f"after {point['n']} questions: {point['accuracy']:.0%}, {point['n_bullets']} lessons\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
