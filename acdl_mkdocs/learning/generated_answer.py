"""Answers of the generator, or of an agent in its place, for an evaluation: with the playbook within its budget."""

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.learning.agents import Agent, agent_of, asked, generated, task_for
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.evaluate import Answer
from acdl_mkdocs.learning.heard import Heard
from acdl_mkdocs.learning.retrieved import task_of, told
from acdl_mkdocs.learning.roles import generate
from acdl_mkdocs.models import Model, ModelError
from acdl_mkdocs.playbook.bullets import Playbook


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """`(playbook, sample) -> Answer` with a model; may be sent to other processes."""

    model: Model
    seed: int | None = None
    top: int | None = None
    """How many lessons nearest to the question a prompt has; `None` is all."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """The generator's answer, or that of the agent in its place.

        Raises:
            ModelError: There is none; what it cost is in `usage`.
        """
        agent = agent_of(self.model)
        if agent is not None:
            return AgentAnswer(agent, self.seed, self.top)(playbook, sample)
        heard = Heard(self.model)
        try:
            found = generate(heard, sample, told(playbook, task_of(sample), self.top), seed=self.seed)
        except ModelError as fault:
            fault.usage = heard.usage
            raise
        return Answer(found.answer, heard.usage, found.bullet_ids)


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """`(playbook, sample) -> Answer` with an agent; for processes and clusters the agent has to be picklable."""

    agent: Agent
    seed: int | None = None
    top: int | None = None
    """How many lessons nearest to the question it gets; `None` is all."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """The agent's answer.

        Raises:
            AgentError: There is none.
        """
        lessons = told(playbook, task_of(sample), self.top)
        reply = asked(self.agent, task_for(sample, lessons, seed=self.seed))
        return Answer(reply.answer, reply.usage, generated(reply, lessons).bullet_ids)
