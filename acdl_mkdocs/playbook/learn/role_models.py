"""Which model takes which role, and with which temperature and length of replies."""

from typing import Literal, TypeAlias, Unpack

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models import CallSettings, Model, Reply
from acdl_mkdocs.prompts.prompt import Json, Prompt

Role: TypeAlias = Literal["generator", "reflector", "curator"]
ROLES: tuple[Role, ...] = ("generator", "reflector", "curator")


@dataclass(frozen=True, slots=True)
class Tuned:
    """A model with a temperature and a length of replies of its own, whatever a call asks for."""

    model: Model
    temperature: float | None = None
    """`None` leaves it to the call."""
    max_model_tokens: int | None = None
    """Of a reply; `None` leaves it to the call."""

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.model.name

    @property
    def description(self) -> str:
        """What a run that is resumed has to have in common with what it was begun with."""
        said = {"temperature": self.temperature, "max_model_tokens": self.max_model_tokens}
        settings = ", ".join(f"{name} {value}" for name, value in said.items() if value is not None)
        return f"{description_of(self.model)} ({settings})" if settings else description_of(self.model)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model has to say about its server."""
        return tuple(getattr(self.model, "notes", ()))

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """The answer of the model.

        Raises:
            ModelError: There is none.
        """
        if self.max_model_tokens is not None:
            settings["max_model_tokens"] = self.max_model_tokens
        if self.temperature is not None:
            settings["temperature"] = self.temperature
        return self.model.complete(prompt, **settings)


@dataclass(frozen=True, slots=True)
class ByRole:
    """The models of a run. One model for all roles is what the paper does."""

    generator: Model
    reflector: Model
    curator: Model

    @property
    def description(self) -> Json:
        """What a run that is resumed has to have in common with what it was begun with: a name if all are the same."""
        found: dict[str, Json] = {role: description_of(getattr(self, role)) for role in ROLES}
        return found["generator"] if len(set(map(str, found.values()))) == 1 else found


def by_role(model: Model | ByRole) -> ByRole:
    """The models of a run, where one may take all roles."""
    return model if isinstance(model, ByRole) else ByRole(model, model, model)


def description_of(model: Model) -> str:
    """What a run that is resumed has to have in common, of one model."""
    return str(getattr(model, "description", model.name))
