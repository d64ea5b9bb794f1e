"""A model as the judge of two similar lessons: `playbook.refine` asks it about each pair.

Its prompt is in `prompts/`. It knows nothing about files or the effect of its verdict.
Source: arXiv:2510.04618, section 3.2 ("Grow-and-Refine").
"""

from typing import cast

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models import Model, json_reply
from acdl_mkdocs.playbook.learn.role_prompts import OPINION, role_prompt, write_value
from acdl_mkdocs.playbook.model.content import MAX_LINE, clean_line, find_secrets
from acdl_mkdocs.playbook.model.near_pairs import NearPair, Opinion
from acdl_mkdocs.playbook.model.refine import Judgement

_AT = 1
"""The step of its prompt: each pair is a separate conversation."""


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A model that decides, as `playbook.refine.Judge`."""

    model: Model
    seed: int | None = None
    """For models that accept one."""

    @property
    def name(self) -> str:
        """Its name in the history: never `person`, whatever the name of the model."""
        return f"model {self.model.name}"

    def judge_pair(self, pair: NearPair) -> Judgement:
        """Ask the model about two lessons.

        Raises:
            ModelError: There is no usable verdict.
        """
        at = str(_AT)
        env = {"first": {at: pair.a.content}, "second": {at: pair.b.content}}
        prompt = role_prompt("judge", _AT, env=env, sys={})
        value = json_reply(self.model, prompt, OPINION, seed=self.seed).value
        data = value if isinstance(value, dict) else {}
        return Judgement(cast(Opinion, data["verdict"]), _reason(write_value(data["reason"])))


def _reason(text: str) -> str:
    """Return a reason for the history; empty if it hides something or looks like a secret."""
    cleaned = clean_line(text[:MAX_LINE])
    return "" if cleaned.problems or find_secrets(cleaned.text) else cleaned.text
