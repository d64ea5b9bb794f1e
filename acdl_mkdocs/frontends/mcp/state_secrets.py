"""Mask keys and passwords in a sample state before a spec uses it: in a message, a value has no name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from acdl_mkdocs.evaluation.state.sample_state import Records, Sample, State, TemplateText
from acdl_mkdocs.evaluation.values import Special, Value, ValueWithFields, is_series
from acdl_mkdocs.foundation.secrets import Kind, classify_name, is_secret
from acdl_mkdocs.prompts.redact import REDACTED, redact_parts, redact_text


def without_secrets(state: State) -> State:
    """Return the state with `[redacted]` for each key or password, recognised by its name or its form."""
    return replace(
        state,
        records=_mask_records(state.records),
        agents={name: _mask_records(each) for name, each in state.agents.items()},
        templates={name: _mask_template(name, each) for name, each in state.templates.items()},
        functions={
            name: tuple(_mask_sample(name, each) for each in samples) for name, samples in state.functions.items()
        },
        args={name: _mask_value(each, classify_name(name)) for name, each in state.args.items()},
    )


def secrets_of(state: State) -> frozenset[str]:
    """Return the keys and passwords that are whole values of a state, for masking them in another text."""
    clean = without_secrets(state)
    pairs: list[tuple[object, object]] = [(state.args, clean.args)]
    for raw, masked in (
        (state.records, clean.records),
        *((state.agents[name], clean.agents[name]) for name in state.agents),
    ):
        pairs += [(raw.base, masked.base), *((raw.steps[key], masked.steps[key]) for key in raw.steps)]
    for name, samples in state.functions.items():
        pairs += [(one.returns, other.returns) for one, other in zip(samples, clean.functions[name], strict=True)]
    return frozenset(_find_masked_values(pairs))


def _find_masked_values(stack: list[tuple[object, object]]) -> Iterator[str]:
    """Yield the values whose counterpart in a masked copy is `[redacted]`."""
    while stack:
        raw, masked = stack.pop()
        if isinstance(raw, ValueWithFields) and isinstance(masked, ValueWithFields):
            stack += [(raw.value, masked.value), (raw.fields, masked.fields)]
        elif isinstance(raw, Mapping) and isinstance(masked, Mapping):
            stack += [(raw[key], masked[key]) for key in raw]
        elif masked == REDACTED and raw != REDACTED:
            yield str(raw)
        elif isinstance(raw, Sequence) and isinstance(masked, Sequence) and not isinstance(raw, str):
            stack += zip(raw, masked, strict=True)


def _mask_records(records: Records) -> Records:
    steps = {key: _mask_trees(trees) for key, trees in records.steps.items()}
    return replace(records, base=_mask_trees(records.base), steps=steps)


def _mask_trees(trees: Mapping[str, Mapping[str, Value]]) -> dict[str, Mapping[str, Value]]:
    return {namespace: _mask_map(tree, "") for namespace, tree in trees.items()}


def _mask_template(name: str, template: TemplateText) -> TemplateText:
    """Mask a text of an author; under the name of a secret it may still be prose about one."""
    is_one = bool(classify_name(name)) and is_secret(template.text, "likely")
    return replace(template, text=REDACTED if is_one else redact_text(template.text))


def _mask_sample(name: str, sample: Sample) -> Sample:
    args = tuple(_mask_value(each, "") for each in sample.args) if sample.args is not None else None
    return Sample(args, _mask_value(sample.returns, classify_name(name)))


def _mask_value(value: Value, kind: Kind) -> Value:
    """Mask a value under a name of some kind."""
    match value:
        case str():
            return REDACTED if is_secret(value, kind) else redact_text(value)
        case Mapping():
            return _mask_map(value, kind)
        case ValueWithFields():
            return ValueWithFields(_mask_value(value.value, kind), _mask_map(value.fields, ""))
        case Sequence():
            return tuple(_mask_value(each, kind) for each in value)
        case int() | float() if kind == "secret" and not isinstance(value, bool):
            return REDACTED
    return cast(Special, redact_parts((value,))[0]) if isinstance(value, Special) else value


def _mask_map(values: Mapping[str, Value], kind: Kind) -> Mapping[str, Value]:
    """Mask values by name; in a series, those by time under one name."""
    if is_series(values):
        return {key: _mask_value(each, kind) for key, each in values.items()}
    name = values.get("name", values.get("key"))  # a pair such as `{name: Authorization, value: …}`
    pair = classify_name(name) if isinstance(name, str) else ""
    return {
        key: _mask_value(each, pair if pair and key == "value" else classify_name(key)) for key, each in values.items()
    }
