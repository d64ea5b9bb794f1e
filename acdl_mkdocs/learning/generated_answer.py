"""Answers of the generator, or of an agent in its place, for an evaluation: with the playbook within its budget."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.agents import agent_of, generate_with
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.evaluate import Answer
from acdl_mkdocs.learning.heard import Heard
from acdl_mkdocs.learning.retrieved import task_of, told
from acdl_mkdocs.learning.roles import generate
from acdl_mkdocs.models import Model, ModelError
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.playbook.relevance import Background


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """`(playbook, sample) -> Answer` with a model or an agent; may be sent to other processes if that may."""

    model: Model
    seed: int | None = None
    top: int | None = None
    """How many lessons nearest to the question a prompt has; `None` is all."""
    among: Background | None = None
    """What the questions at hand have in common: no reason to take a lesson."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """The generator's answer, or that of the agent in its place.

        Raises:
            ModelError: There is none; what it cost is in `usage`.
        """
        return self.kept(playbook, sample, None)

    def kept(self, playbook: Playbook, sample: Sample, replies: Path | None) -> Answer:
        """The same, with replies kept in a file, so that they are not paid for twice.

        Raises:
            ModelError: There is none; what it cost is in `usage`.
        """
        heard, agent = Heard(self.model, replies), agent_of(self.model)
        lessons = told(playbook, task_of(sample), self.top, self.among)
        try:
            if agent is None:
                found = generate(heard, sample, lessons, seed=self.seed)
            else:
                found = generate_with(agent, heard, sample, lessons, seed=self.seed)
        except ModelError as fault:
            fault.usage = heard.usage
            raise
        return Answer(found.answer, heard.usage, found.bullet_ids)


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """Answers whose replies are kept, so that none is paid for twice; may be sent to other processes."""

    answer: GeneratedAnswer
    files: Mapping[str, Path]
    """By the id of the sample."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """The answer; see `GeneratedAnswer`."""
        return self.answer.kept(playbook, sample, self.files[sample.id])


def reply_file(folder: Path, name: str) -> Path:
    """Where the replies about the sample of an id are kept."""
    return folder / f"{sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}.jsonl"
