"""Our decorator for frozen classes makes what the standard one makes."""

import builtins
import copy
import dataclasses
import inspect
import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import FrozenInstanceError, InitVar, asdict, astuple, field, fields, is_dataclass, replace
from functools import cached_property
from operator import lt
from typing import Any, ClassVar, get_type_hints
from unittest.mock import ANY

import pytest

from acdl_mkdocs.foundation import frozen

Decorator = Callable[..., Callable[[type], type]]


def classes(decorator: Decorator) -> dict[str, type]:
    """Classes of every shape that is in use, made by a decorator."""

    class Empty:
        """Nothing in it."""

    @decorator(frozen=True, slots=True)
    class One:
        only: str

    @decorator(frozen=True, slots=True)
    class Several:
        """Values and defaults."""

        kind: ClassVar[str] = "several"
        first: int
        second: str = "two"
        third: list[int] = field(default_factory=list)
        fourth: int = field(default=4, compare=False, repr=False)

        def added(self) -> int:
            """A method that knows its class."""
            return self.first + self.fourth

        @property
        def doubled(self) -> int:
            """A property."""
            return 2 * self.first

    @decorator(frozen=True, slots=True, kw_only=True)
    class Named:
        first: int = 1
        second: str

    @decorator(frozen=True, slots=True)
    class Child(Several):
        """What it inherits, and more; what it has from its parent has another default."""

        second: str = "other"
        fifth: tuple[int, ...] = ()

    @decorator(frozen=True, slots=True, kw_only=True)
    class Last(Child):
        sixth: int

    @decorator(frozen=True, slots=True, eq=False, repr=False)
    class Same:
        value: int

    @decorator(frozen=True, slots=True)
    class Own:
        """What its author wrote stays."""

        value: int

        def __post_init__(self) -> None:
            object.__setattr__(self, "value", abs(self.value))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.value % 10 == other.value % 10

        def __repr__(self) -> str:
            return f"own {self.value}"

    @decorator(frozen=True, slots=True)
    class Hashed:
        value: int
        ignored: int = field(default=0, hash=False)

    @decorator(frozen=True, slots=True)
    class Unhashed:
        value: int
        __hash__ = None  # type: ignore[assignment]

    @decorator(frozen=True, slots=True)
    class OwnChild(Own):
        other: int = 0

    @decorator(frozen=True, slots=True, order=True)
    class Ordered:
        value: int

    made = (decorator(frozen=True, slots=True)(Empty), One, Several, Named, Child, Last, Same)
    return {each.__name__: each for each in (*made, Own, Hashed, Unhashed, OwnChild, Ordered)}


OURS, STANDARD = classes(frozen.dataclass), classes(dataclasses.dataclass)
PAIRS = [pytest.param(OURS[name], STANDARD[name], id=name) for name in OURS]
ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((), {}),
    ((1,), {}),
    ((-13,), {}),
    (("a",), {}),
    ((1, "b"), {}),
    ((1, "b", [3]), {}),
    ((1, "b", [3], 5), {}),
    ((1, 2, 3, 4, 5), {}),
    ((1, 2, 3, 4, 5, 6), {}),
    ((), {"second": "x"}),
    ((), {"first": 2, "second": "x"}),
    ((1,), {"sixth": 6}),
    ((1,), {"second": "x", "sixth": 6}),
    ((1,), {"none": 1}),
    ((1,), {"first": 1}),
)
"""By place and by name; each class takes some of them."""


def said(function: Callable[..., object], *words: object, **names: object) -> object:
    """What a function gives, or how it fails."""
    try:
        return function(*words, **names)
    except (TypeError, AttributeError, FrozenInstanceError) as error:
        return type(error).__name__, str(error)


def made(kind: type) -> list[Any]:
    """Values of a class, of all arguments that it takes."""
    tried = [said(kind, *words, **names) for words, names in ARGUMENTS]
    return [each for each in tried if isinstance(each, kind)]


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_arguments(ours: type, standard: type) -> None:
    """The same arguments are taken, and the same ones are refused, in the same words."""
    for words, names in ARGUMENTS:
        told = [said(shown, kind, *words, **names) for kind in (ours, standard)]
        assert told[0] == told[1]
    assert str(inspect.signature(ours)) == str(inspect.signature(standard))
    assert get_type_hints(ours.__init__) == get_type_hints(standard.__init__)  # type: ignore[misc]
    assert made(ours)


def repr_of(value: Any) -> tuple[object, ...]:
    """All that a value says of itself, but where it is in memory."""
    told = repr(value)
    return (
        "an object" if " object at 0x" in told else told,
        astuple(value),
        asdict(value),
        [getattr(value, each.name) for each in fields(value)],
    )


def shown(kind: type, *words: object, **names: object) -> tuple[object, ...]:
    """What a new value says of itself."""
    return repr_of(kind(*words, **names))


def changed(value: Any, name: str) -> tuple[object, ...]:
    """What a copy with a change says of itself."""
    return repr_of(replace(value, **{name: 7}))


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_equality_and_order(ours: type, standard: type) -> None:
    """The same values are equal, have equal hashes, and stand in the same order; none equals another class."""
    assert compared(ours, OURS) == compared(standard, STANDARD)
    assert [said(hash, each) for each in made(ours) if ours.__name__ != "Same"] == [
        said(hash, each) for each in made(standard) if ours.__name__ != "Same"
    ]  # of what has no equality, the place in memory
    assert ours.__name__ in ("Own", "OwnChild") or not any(a == b for a in made(ours) for b in made(standard))


def compared(kind: type, kinds: dict[str, type]) -> list[tuple[object, ...]]:
    """How values of a class stand to those of all classes, to their fields, and to what equals everything."""
    others = [value for each in kinds.values() for value in made(each)]
    return [
        (
            [one == other for other in others],
            [said(lt, one, other) is True for other in others],
            one == astuple(one),
            one == ANY,
            said(kind.__eq__, one, 5) is NotImplemented,
        )
        for one in made(kind)
    ]


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_class(ours: type, standard: type) -> None:
    """What tools ask a class is answered alike."""
    assert is_dataclass(ours)
    for name in ("__match_args__", "__slots__", "__qualname__", "__module__", "__annotations__"):
        assert getattr(ours, name, None) == getattr(standard, name, None)
    assert [*map(_told, fields(ours))] == [*map(_told, fields(standard))]
    assert (ours.__init__.__qualname__, ours.__init__.__module__) == (standard.__init__.__qualname__, __name__)  # type: ignore[misc]
    assert not hasattr(made(ours)[0], "__dict__")
    assert repr(ours.__dataclass_params__) == repr(standard.__dataclass_params__)  # type: ignore[attr-defined]


def _told(each: "dataclasses.Field[Any]") -> tuple[object, ...]:
    return (each.name, each.type, each.default, each.default_factory, each.repr, each.compare, each.hash, each.kw_only)


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_nothing_changes(ours: type, standard: type) -> None:
    """A value cannot be changed, in the same words; a copy with a change is another value."""
    for name in (each.name for each in fields(ours)):
        changes = [said(setattr, made(kind)[0], name, 1) for kind in (ours, standard)]
        removals = [said(delattr, made(kind)[0], name) for kind in (ours, standard)]
        assert (changes[0], removals[0]) == (changes[1], removals[1])
        assert isinstance(changes[0], tuple)  # not a value, but how it failed
        copies = [said(changed, made(kind)[0], name) for kind in (ours, standard)]
        assert copies[0] == copies[1]


@pytest.mark.parametrize("name", [name for name in OURS if name != "Ordered"])
def test_nothing_is_added(name: str) -> None:
    """Names that no field has are refused, too; the standard library has an error of its own there."""
    value = made(OURS[name])[0]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'other'"):
        value.other = 1
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'other'"):
        del value.other


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_copies(ours: type, standard: type) -> None:
    """Values are copied, also deeply, and their state is what the standard library would keep."""
    assert [each.__getstate__() for each in made(ours)] == [each.__getstate__() for each in made(standard)]
    for value in made(ours):
        for copied in (copy.copy(value), copy.deepcopy(value)):
            assert repr_of(copied) == repr_of(value)
            assert type(copied) is ours


@frozen.dataclass(frozen=True, slots=True)
class Sent:
    """What goes to another process."""

    name: str
    parts: tuple["Sent", ...] = ()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    """Values go to other processes."""
    value = Sent("a", (Sent("b"), Sent("c", (Sent("d"),))))
    assert pickle.loads(pickle.dumps(value, protocol)) == value  # noqa: S301


def test_state_of_another_class() -> None:
    """What has more or fewer values than there are fields is no state; the standard library would cut it."""
    with pytest.raises(ValueError, match="shorter"):
        Sent("a").__setstate__(["b"])  # type: ignore[attr-defined]


def test_abstract_methods() -> None:
    """A method that the decorator adds is there for an abstract class above, too."""

    class Shown(ABC):
        __slots__ = ()

        @abstractmethod
        def __repr__(self) -> str: ...

    @frozen.dataclass(frozen=True, slots=True)
    class Made(Shown):
        value: int

    kind: Any = Made
    assert repr(kind(1)).endswith("Made(value=1)")


def test_defaults_are_each_ones_own() -> None:
    """A value that a factory makes belongs to one."""
    kind = OURS["Several"]
    first, second = kind(1), kind(1)
    first.third.append(3)
    assert (second.third, second.doubled, second.added(), second.kind) == ([], 2, 5, "several")


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, frozen.dataclass])
def test_a_field_that_is_called_self(decorator: Decorator) -> None:
    """It is a field as any other, and is given by its name, too."""
    values = {"__annotations__": {"self": int, "other": int}, "other": 2}
    Own: Any = decorator(frozen=True, slots=True)(type("Own", (), values))  # noqa: N806  # a class
    assert (asdict(Own(1)), asdict(Own(other=4, self=3))) == ({"self": 1, "other": 2}, {"self": 3, "other": 4})


def test_match() -> None:
    """Parts of a value have places in patterns."""
    match Sent("a", (Sent("b"),)):
        case Sent(name, (Sent(inner),)):
            assert (name, inner) == ("a", "b")


def test_one_method_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a class compiles one method: the others are what took half of each start."""
    compiled, run = list[str](), exec

    def noted(text: str, *names: dict[str, Any]) -> None:
        compiled.append(text)
        run(text, *names)

    monkeypatch.setattr(builtins, "exec", noted)

    @frozen.dataclass(frozen=True, slots=True)
    class Made:
        value: int

    assert Made(1) == Made(1)
    assert [each for each in re.findall(r"def (__\w+)", "".join(compiled)) if each != "__create_fn__"] == ["__init__"]


def test_other_classes_are_the_standard_ones() -> None:
    """A class that can be changed, or has no slots, is what the standard library makes of it."""

    @frozen.dataclass(frozen=True)
    class WithPlace:
        value: int

        @cached_property
        def doubled(self) -> int:
            return 2 * self.value

    assert WithPlace(2).doubled == 4

    @frozen.dataclass
    class Plain:
        value: int

    @frozen.dataclass(slots=True)
    class Slotted:
        value: int

    for value in (Plain(1), Slotted(1)):
        value.value = 2
        assert (value, repr(value).rpartition(".")[2]) == (type(value)(2), f"{type(value).__name__}(value=2)")


def test_what_is_not_known_is_refused() -> None:
    """It is said when the class is made, and nothing is forgotten."""

    class Counted:
        number: int = field(default=0, init=False)

    class Given:
        number: int
        given: InitVar[int]

    class Changeable:
        value: int

        def __setattr__(self, name: str, value: object) -> None:
            raise AssertionError

    class Unordered:
        first: int = 1
        second: int

    for kind, said in (
        (Counted, r"Counted\.number: fields of frozen classes with slots are parameters"),
        (Given, r"Given\.given: parameters of frozen classes with slots are fields"),
        (Changeable, "Cannot overwrite attribute __setattr__ in class Changeable"),
        (Unordered, "non-default argument 'second' follows default argument"),
    ):
        with pytest.raises(TypeError, match=said):
            frozen.dataclass(frozen=True, slots=True)(kind)


def test_parents_and_children() -> None:
    """Frozen classes of both kinds inherit from each other; none inherits from what can be changed, or is that."""
    ours, standard = OURS["One"], STANDARD["One"]
    for parent, decorator in ((ours, dataclasses.dataclass), (standard, frozen.dataclass), (ours, frozen.dataclass)):
        child: Any = decorator(frozen=True, slots=True)(type("Child", (parent,), {"__annotations__": {"more": int}}))
        value = child("a", 2)
        assert (value.only, value.more, value.__getstate__()) == ("a", 2, ["a", 2])
        with pytest.raises(FrozenInstanceError):
            value.more = 3
        with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
            dataclasses.dataclass(type("Mutable", (child,), {}))

    @dataclasses.dataclass
    class Mutable:
        value: int

    with pytest.raises(TypeError, match="cannot inherit frozen dataclass from a non-frozen one"):
        frozen.dataclass(frozen=True, slots=True)(type("Child", (Mutable,), {}))


def test_value_within_itself() -> None:
    """It is shown as the standard library shows it."""
    shown = []
    for kinds in (OURS, STANDARD):
        value = kinds["Several"](1)
        value.third.append(value)
        shown.append(repr(value))
    assert shown[0] == shown[1]
    assert "..." in shown[0]


def test_pytest_tells_what_differs() -> None:
    """A failed comparison names the fields, as for classes of the standard library: pytest knows these by a file."""
    assert OURS["One"].__eq__.__code__.co_filename == STANDARD["One"].__eq__.__code__.co_filename


def test_decorating_at_once() -> None:
    """The decorator takes a class, too, with or without options."""
    made_of: Any = frozen.dataclass(type("Made", (), {"__annotations__": {"value": int}}), frozen=True, slots=True)
    assert repr(made_of(1)) == "Made(value=1)"


def test_hash_of_what_has_none() -> None:
    """A value with a list has no hash."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(OURS["Several"](1))
    assert isinstance(OURS["One"]("a"), Hashable)
