"""Dataclasses with slots that cannot be changed, of which only `__init__` is compiled when a program starts.

The standard library compiles six methods for each frozen class; in Python 3.11 that was half of what it takes to load
all that draws one figure. Here it finds the fields, and the other methods are functions that read them all at once.
Values are made faster, too: a field is set by its slot, not by its name.

A class behaves as one that the standard library made, with two exceptions: all fields are parameters, and no
parameter is anything else; and frozen subclasses are made by this decorator, too. Type checkers see the standard one.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

_Values = Callable[[Any], tuple[Any, ...]]
_Methods = dict[str, Callable[..., Any]]

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(cls=None, /, **options):
        """Decorate a class as `dataclasses.dataclass` does; what is not frozen, has no slots or an order, it makes."""
        is_ours = options.get("frozen") and options.get("slots") and not options.get("order")
        return _decorator(**options) if is_ours else dataclasses.dataclass(cls, **options)

    def _decorator(*, frozen, slots, eq=True, repr=True, kw_only=False):  # noqa: ARG001 - both are what it makes
        def decorated(cls):
            cls.__doc__ = cls.__doc__ or cls.__name__  # else the signature is looked for, which takes long
            made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
            for name, method in _methods(made, has_eq=eq, has_repr=repr).items():
                if cls.__dict__.get(name) is None:  # a class with `__eq__` has None for `__hash__`
                    setattr(made, name, method)
            return made

        return decorated


def _methods(made: type, *, has_eq: bool, has_repr: bool) -> _Methods:
    """What a class gets by itself, unless its author wrote it."""
    all_fields = fields(made)
    values = _values(each.name for each in all_fields)
    setters = [getattr(made, each.name).__set__ for each in all_fields]

    def __getstate__(self: Any) -> list[Any]:  # noqa: N807
        return list(values(self))

    def __setstate__(self: Any, state: list[Any]) -> None:  # noqa: N807
        for setter, value in zip(setters, state, strict=True):
            setter(self, value)

    methods: _Methods = {
        "__init__": _init(made, all_fields),
        "__getstate__": __getstate__,
        "__setstate__": __setstate__,
    }
    methods |= {"__setattr__": _no_change, "__delattr__": _no_deletion}
    if has_repr:
        methods["__repr__"] = _repr
    return methods | _comparing(all_fields) if has_eq else methods


def _comparing(all_fields: tuple[Field[Any], ...]) -> _Methods:
    """Equality and hash, by the values of fields."""
    compared = _values(each.name for each in all_fields if each.compare)
    hashed = _values(each.name for each in all_fields if (each.compare if each.hash is None else each.hash))

    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _values(names: Iterable[str]) -> _Values:
    """A function that gives the values of all these attributes."""
    match tuple(names):
        case ():
            return lambda _: ()
        case (name,):
            return lambda value: (getattr(value, name),)
        case several:
            return attrgetter(*several)


def _init(made: type, all_fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The method `__init__`, which sets each field by its slot."""
    known: dict[str, Any] = {"MISSING": MISSING}
    parameters, by_name, body = ["self"], ["*"], []
    for number, each in enumerate(all_fields):
        if not each.init:
            raise TypeError(f"{made.__qualname__}.{each.name}: fields of frozen classes are parameters")
        known[f"set_{number}"] = getattr(made, each.name).__set__
        known[f"default_{number}"] = each.default
        known[f"factory_{number}"] = each.default_factory
        parameter, value = each.name, each.name
        if each.default is not MISSING:
            parameter = f"{each.name}=default_{number}"
        elif each.default_factory is not MISSING:
            parameter = f"{each.name}=MISSING"
            value = f"factory_{number}() if {each.name} is MISSING else {each.name}"
        (by_name if each.kw_only else parameters).append(parameter)
        body.append(f" set_{number}(self, {value})")
    if hasattr(made, "__post_init__"):
        body.append(" self.__post_init__()")
    by_name = by_name if len(by_name) > 1 else []
    text = "\n".join((f"def __init__({', '.join((*parameters, *by_name))}):", *body, " return None"))
    exec(text, known)  # noqa: S102 - names of fields, nothing else
    init: Callable[..., None] = known["__init__"]
    init.__qualname__, init.__module__ = f"{made.__qualname__}.__init__", made.__module__
    init.__annotations__ = {each.name: each.type for each in all_fields} | {"return": None}
    return init


def _no_change(self: object, name: str, value: object) -> None:  # noqa: ARG001 - as it is called
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deletion(self: object, name: str) -> None:  # noqa: ARG001 - as it is called
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _repr(self: Any) -> str:
    said = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(said)})"
