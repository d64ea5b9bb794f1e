"""Frozen dataclasses with slots, for which only `__init__` is compiled when a program starts.

The standard library compiles six methods for each frozen class; in Python 3.11 that was half of the time to load
everything that draws one figure. Here it finds the fields, and the other methods are functions that read them all at
once. Instances are also created faster, since a field is set by its slot and not by its name. They are compared more
slowly.

A class behaves like one of the standard library, but a field that is not a parameter and a parameter that is not a
field are refused, and a class without a docstring has its name as docstring. Type checkers see the decorator of the
standard library.
"""

import dataclasses
import sys
from abc import update_abstractmethods
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any

_Fields = tuple[Field[Any], ...]
_Methods = dict[str, Callable[..., Any]]
_OPTIONS = {"frozen", "slots", "eq", "repr", "kw_only"}
_ONE_AT_A_TIME = RLock()


def _dataclass(cls: type | None = None, /, **options: bool) -> Any:
    """Decorate a class like `dataclasses.dataclass`, which handles classes that are not frozen or have no slots."""
    if not (options.get("frozen") and options.get("slots") and options.keys() <= _OPTIONS):
        return dataclasses.dataclass(cls, **options)
    has_eq, has_repr, kw_only = options.get("eq", True), options.get("repr", True), options.get("kw_only", False)

    def decorated(cls: type) -> type:
        return _make_class(cls, has_eq=has_eq, has_repr=has_repr, kw_only=kw_only)

    return decorated if cls is None else decorated(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass


def _make_class(cls: type, *, has_eq: bool, has_repr: bool, kw_only: bool) -> type:
    """Return the class with slots, and with the methods that its author did not write."""
    own = dict(vars(cls))
    for name in ("__setattr__", "__delattr__"):
        if name in own:
            raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}")
    slotted = _without_methods(cls, kw_only=kw_only)
    for name, value in {"init": True, "repr": has_repr, "eq": has_eq, "frozen": True}.items():
        setattr(slotted.__dataclass_params__, name, value)
    all_fields = fields(slotted)
    _check_class(slotted, all_fields)
    methods = {"__init__": _make_init(slotted, all_fields), **_SHARED}
    methods |= {"__repr__": _make_repr(all_fields)} if has_repr else {}
    methods |= _make_comparisons(all_fields) if has_eq else {}
    for name, method in methods.items():
        if name not in own or (name == "__hash__" and own[name] is None and "__eq__" in own):
            setattr(slotted, name, method)
    return update_abstractmethods(slotted)


def _without_methods(cls: type, *, kw_only: bool) -> Any:
    """Return the class with slots but not frozen: the standard library would compile methods for a frozen one."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # otherwise the signature is computed, which is slow
    above: list[Any] = [
        vars(each)["__dataclass_params__"] for each in cls.__mro__[1:] if "__dataclass_params__" in vars(each)
    ]
    if not all(each.frozen for each in above):
        raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
    with _ONE_AT_A_TIME:
        for each in above:
            each.frozen = False
        try:
            return dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
        finally:
            for each in above:
                each.frozen = True


def _make_init(cls: type, all_fields: _Fields) -> Callable[..., None]:
    """Return an `__init__` method that sets each field by its slot."""
    constants: dict[str, Any] = {"_FACTORY": _FACTORY}
    me = "__dataclass_self__" if any(each.name == "self" for each in all_fields) else "self"  # as in `dataclasses`
    parameters, by_name, body = [me], list[str](), []
    for number, each in enumerate(all_fields):
        constants[f"_set_{number}"] = getattr(cls, each.name).__set__
        parameter, value = each.name, each.name
        if each.default is not MISSING:
            constants[f"_default_{number}"] = each.default
            parameter = f"{each.name}=_default_{number}"
        elif each.default_factory is not MISSING:
            constants[f"_new_{number}"] = each.default_factory
            parameter, value = f"{each.name}=_FACTORY", f"_new_{number}() if {each.name} is _FACTORY else {each.name}"
        elif "=" in parameters[-1] and not each.kw_only:
            raise TypeError(f"non-default argument {each.name!r} follows default argument")
        (by_name if each.kw_only else parameters).append(parameter)
        body.append(f"  _set_{number}({me}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(f"  {me}.__post_init__()")
    signature = ", ".join((*parameters, "*", *by_name) if by_name else parameters)
    text = "\n".join(
        (f"def made({', '.join(constants)}):", f" def __init__({signature}):", *body, "  return", " return __init__")
    )
    namespace: dict[str, Callable[..., Callable[..., None]]] = {}
    module = sys.modules.get(cls.__module__)
    exec(text, vars(module) if module else {}, namespace)  # noqa: S102 - names of fields, nothing else
    init = namespace["made"](**constants)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {each.name: each.type for each in all_fields} | {"return": None}
    return init


def _check_class(cls: Any, all_fields: _Fields) -> None:
    """Refuse kinds of fields that this module does not support."""
    names = {each.name for each in all_fields}
    for name, each in cls.__dataclass_fields__.items():
        if name in names and not each.init:
            raise TypeError(f"{cls.__qualname__}.{name}: fields of frozen classes with slots are parameters")
        if name not in names and "InitVar" in str(each.type):
            raise TypeError(f"{cls.__qualname__}.{name}: parameters of frozen classes with slots are fields")


def _make_comparisons(all_fields: _Fields) -> _Methods:
    """Return methods for equality and hash, based on the values of the fields."""
    compared = _make_getter(each.name for each in all_fields if each.compare)
    hashed = _make_getter(each.name for each in all_fields if (each.compare if each.hash is None else each.hash))

    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(hashed(self))

    # pytest shows the fields that differ if equality was compiled from text, like that of the standard library
    __eq__.__code__ = __eq__.__code__.replace(co_filename="<string>")
    return {"__eq__": __eq__, "__hash__": __hash__}


def _make_getter(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that reads all these attributes of an object."""
    match tuple(names):
        case ():
            return lambda _: ()
        case (name,):
            return lambda value: (getattr(value, name),)
        case several:
            return attrgetter(*several)


def _make_repr(all_fields: _Fields) -> Callable[[Any], str]:
    """Return a `__repr__` method."""
    names = tuple(each.name for each in all_fields if each.repr)

    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _refuse_change(self: object, name: str, value: object) -> None:  # noqa: ARG001 - as it is called
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: object, name: str) -> None:  # noqa: ARG001 - as it is called
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_SHARED: _Methods = {
    "__setattr__": _refuse_change,
    "__delattr__": _refuse_deletion,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}


class _Factory:
    """The placeholder for a default that is created for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
