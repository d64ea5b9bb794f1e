"""The models of the roles, with the temperature and length of replies of each."""

from typing import Literal, TypeAlias, Unpack

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models import CallSettings, Model, Reply
from acdl_mkdocs.prompts.prompt import Json, Prompt

Role: TypeAlias = Literal["generator", "reflector", "curator"]
ROLES: tuple[Role, ...] = ("generator", "reflector", "curator")


@dataclass(frozen=True, slots=True)
class TunedModel:
    """A model with its own temperature and length of replies, which override a call."""

    model: Model
    temperature: float | None = None
    """`None` means the value of the call."""
    max_model_tokens: int | None = None
    """Maximum length of a reply; `None` means the value of the call."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def description(self) -> str:
        """The settings that must be the same when a run is resumed."""
        options = {"temperature": self.temperature, "max_model_tokens": self.max_model_tokens}
        settings = ", ".join(f"{name} {value}" for name, value in options.items() if value is not None)
        return f"{description_of(self.model)} ({settings})" if settings else description_of(self.model)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of the model about its server."""
        return tuple(getattr(self.model, "notes", ()))

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """Return the reply of the model.

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
    """The models of a run. The paper uses one model for all roles."""

    generator: Model
    reflector: Model
    curator: Model

    @property
    def description(self) -> Json:
        """The settings that must be the same when a run is resumed: a name if all models are the same."""
        descriptions: dict[str, Json] = {role: description_of(getattr(self, role)) for role in ROLES}
        return descriptions["generator"] if len(set(map(str, descriptions.values()))) == 1 else descriptions


def by_role(model: Model | ByRole) -> ByRole:
    """Return the models of a run; a single model takes all roles."""
    return model if isinstance(model, ByRole) else ByRole(model, model, model)


def description_of(model: Model) -> str:
    """Return what must be the same of one model when a run is resumed."""
    return str(getattr(model, "description", model.name))
