"""Programs: formulas as instructions, which the compiled core runs a topic at a time.

A formula is called once, on numbers that record what is done with them; the operations are those of
`core/program.hpp`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rankgauge.errors import OptionError
from rankgauge.measures.rankings.discounts import DEEPEST, ByRank
from rankgauge.schema.frozen import Frozen

SINGLE = 0  # the view of numbers of a topic; those of hits have views from 1 on
INPUTS = 4  # the registers of a topic: ranks and grades of hits, documents retrieved, grades of the judged
KINDS = {"float": "number", "float64": "number", "int64": "whole"}
STILL_DEEP = "whole add", "whole sub", "whole mul", "whole max"  # operations on ranks below all rankings
WITH_TABLE = "by rank", "look up"  # operations whose last argument is a table
# The kinds of operands, where the core reads them as such; of others, `combine` takes care.
OPERANDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sums", "products", "highest", "best to come", "last equal", "look up"), ("number",)),
    **dict.fromkeys(("choose", "keep", "refuse"), ("truth",)),
    **dict.fromkeys(("count", "merge"), ("whole", "whole")),
    **{"order": ("number", "number"), "by rank": ("whole",), "take": ("", "whole"), "get": ("", "whole")},
}
FUNCTIONS: dict[Callable[..., Any], str] = {math.log: "log", math.log2: "log2"}


class Unsupported(OptionError, AttributeError):
    """Something that a program cannot do; `arrays` can."""

    def __str__(self) -> str:
        return f"the back end programs does not support {super().__str__()}; use back_end='arrays'"


def _operator(operation: str, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The method for `number ∘ other`, or reflected for `other ∘ number`."""

    def method(self: Number, other: Any) -> Any:
        if not isinstance(other, (Number, int, float)):
            if operation in ("equal", "unequal"):  # Python would compare identities
                self.tape.refuse_to("compare numbers with others")
            return NotImplemented
        other = self.tape.number(other)
        return self.tape.combine(operation, *((other, self) if reflected else (self, other)))

    return method


class Number:
    """The numbers of a register, in a formula that is being recorded."""

    __array_ufunc__ = None  # makes NumPy leave array * number to the number
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, tape: Tape, register: int, kind: str, view: int, single: bool, constant: Any = None
    ) -> None:
        self.tape, self.register = tape, register
        self.kind = kind  # "number", "whole" or "truth"
        self.view = view  # of which hits there is a number each, or SINGLE
        self.single = single  # whether the register holds one number, which stands for that of every hit
        self.constant = constant

    def __getattr__(self, word: str) -> NoReturn:
        self.tape.refuse_to(f"take `{word}` of a number")

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        self.tape.refuse_to("take numbers one by one")

    __bool__ = __array__ = __iter__ = __len__ = __getitem__ = __contains__ = _refused
    __float__ = __int__ = __index__ = __abs__ = __round__ = _refused

    __add__, __radd__ = _operator("add"), _operator("add", reflected=True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", reflected=True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", reflected=True)
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", reflected=True)
    __floordiv__ = _operator("whole div")
    __lt__, __le__ = _operator("less"), _operator("at most")
    __gt__, __ge__ = _operator("less", reflected=True), _operator("at most", reflected=True)
    __eq__, __ne__ = _operator("equal"), _operator("unequal")

    def __and__(self, other: Any) -> Any:
        return self.tape.of_truths("whole mul", self, other)

    def __or__(self, other: Any) -> Any:
        return self.tape.of_truths("whole max", self, other)

    def __invert__(self) -> Any:
        return self.tape.of_truths("whole sub", self.tape.constant(1, "truth"), self)

    def __neg__(self) -> Any:
        return self * -1

    def astype(self, kind: Any) -> Number:
        """The numbers as floats, or as whole numbers ("int64")."""
        name = getattr(kind, "__name__", kind)
        if name not in KINDS:
            self.tape.refuse_to(f"convert numbers to {name}")
        return self.tape.converted(self, KINDS[name])

    def reshape(self, *_: int) -> Number:
        """The same numbers: a register has one dimension."""
        return self

    def clip(self, min: Any = None, max: Any = None) -> Number:
        """The numbers, at least `min` and at most `max`."""
        kept = self if min is None else self.tape.combine("max", self, self.tape.number(min))
        return kept if max is None else self.tape.combine("min", kept, self.tape.number(max))

    def of_topic(self) -> Any:
        """The same, if it is one number of the topic."""
        if self.view != SINGLE:
            self.tape.refuse_to("take numbers of hits for that of a topic")
        return self

    def any(self) -> bool:
        """False, which is true of all topics for which the program serves."""
        self.tape.refuse(self)
        return False

    def all(self) -> bool:
        """True; see `any`."""
        self.tape.refuse(~self)
        return True

    def each(self, function: Callable[[float], float]) -> Number:
        """A function of each number."""
        values = self.tape.converted(self, "number")
        return self.tape.emit(FUNCTIONS[function], values, kind="number", view=self.view)

    def by_rank(self, numbers: ByRank) -> Number:
        """The numbers of these ranks."""
        if self.constant is not None:
            return self.tape.number(numbers.at_one(self.constant))
        if self.register in self.tape.deep:
            self.tape.refuse_to("make a table of endless ranks")
        return self.tape.emit("by rank", self, table=self.tape.table(numbers), kind="number", view=self.view)

    def look_up(self, keys: Sequence[float], values: Sequence[float]) -> Number:
        """The value of each number among the keys, which ascend."""
        table = self.tape.table((tuple(keys), tuple(values)))
        return self.tape.emit("look up", self, table=table, kind="number", view=self.view)


class Tape:
    """Records what formulas do."""

    def __init__(self) -> None:
        self.constants: list[float | int] = []
        self.instructions: list[tuple[Any, ...]] = []
        self.tables: list[Any] = []
        self._known: dict[Any, Number] = {}
        self._views: dict[Any, int] = {}
        self.refused = False  # whether a formula asked for what no program can do
        self.deep: set[int] = set()  # registers of ranks below all rankings, and too deep for tables

    def refuse_to(self, do: str) -> NoReturn:
        """Raise an error, which the formula may catch: its program is refused nevertheless."""
        self.refused = True
        raise Unsupported(f"formulas that {do}")

    def input(self, register: int, kind: str, view: int) -> Number:
        """One of the registers that a topic fills."""
        return Number(self, register, kind, view, single=view == SINGLE)

    def view(self, *key: Any) -> int:
        """The number of a view: of the same one where a key is given again."""
        return self._views.setdefault(key or len(self._views), len(self._views) + 1)

    def constant(self, value: float, kind: str) -> Number:
        """A register of one number that never changes.

        Where it comes is known once all constants are; until then, its number is below 0.
        """
        if kind == "whole" and not -(1 << 63) <= value < 1 << 63:
            self.refuse_to("hold a number of more than 64 bits")
        key = kind, repr(value)  # 0 and -0 are two
        if key not in self._known:
            self.constants.append(float(value) if kind == "number" else int(value))
            register = -len(self.constants)
            self._known[key] = Number(self, register, kind, SINGLE, single=True, constant=value)
            if kind == "whole" and value >= DEEPEST:
                self.deep.add(register)
        return self._known[key]

    def number(self, value: Any) -> Number:
        """A number of Python's as one of the tape."""
        if isinstance(value, Number):
            return value
        if not isinstance(value, (int, float)):
            self.refuse_to(f"compute with a {type(value).__name__}")
        kind = "truth" if isinstance(value, bool) else "whole" if isinstance(value, int) else "number"
        return self.constant(value, kind)

    def table(self, values: Any) -> int:
        """The number of a table: numbers by rank, or the first of two (keys, values)."""
        if values not in self.tables:
            self.tables += [values] if isinstance(values, ByRank) else [values, None]
        return self.tables.index(values)

    def emit(
        self,
        operation: str,
        *operands: Number,
        kind: str,
        view: int,
        single: bool | None = None,
        table: int = -1,
    ) -> Number:
        """The result of an instruction; equal ones are recorded once."""
        for operand, wanted in zip(operands, OPERANDS.get(operation, ()), strict=False):
            if wanted and operand.kind != wanted:
                self.refuse_to(f"take a {operand.kind} for a {wanted}")
        if single is None:
            single = all(operand.single for operand in operands)
        key = (operation, *(operand.register for operand in operands), *([table] if table >= 0 else []))
        if key not in self._known:
            self.instructions.append(key)
            register = INPUTS + len(self.instructions) - 1
            self._known[key] = Number(self, register, kind, view, single)
            if operation in STILL_DEEP and any(operand.register in self.deep for operand in operands):
                self.deep.add(register)
        # Not the known one: a number of a topic may stand for those of a view.
        return Number(self, self._known[key].register, kind, view, single)

    def converted(self, value: Any, kind: str) -> Number:
        """Numbers of another kind."""
        number = self.number(value)
        if number.kind == kind:
            return number
        if number.constant is not None:
            return self.number(float(number.constant) if kind == "number" else int(number.constant))
        if (number.kind, kind) == ("truth", "whole"):
            return Number(self, number.register, kind, number.view, number.single)
        return self.emit("to number" if kind == "number" else "to whole", number, kind=kind, view=number.view)

    def view_of(self, *numbers: Number) -> int:
        """The view that numbers have in common; those of a topic go with constants alone."""
        views = {number.view for number in numbers if number.constant is None}
        if len(views) > 1:
            self.refuse_to("combine numbers of different hits")
        return views.pop() if views else SINGLE

    def combine(self, operation: str, one: Number, other: Number) -> Number:
        """One operation of each pair of numbers, as NumPy does it."""
        view, kinds = self.view_of(one, other), {one.kind, other.kind}
        if operation in ("less", "at most", "equal", "unequal"):
            return self._emit_of("number", operation, one, other, kind="truth", view=view)
        if operation == "whole div" and "number" in kinds:
            self.refuse_to("divide numbers that are not whole by //")
        if kinds == {"truth"}:
            self.refuse_to("compute with truth values alone")
        if operation == "div" or "number" in kinds:
            return self._emit_of("number", operation, one, other, kind="number", view=view)
        whole = operation if operation.startswith("whole") else f"whole {operation}"
        return self._emit_of("whole", whole, one, other, kind="whole", view=view)

    def _emit_of(self, of: str, operation: str, *operands: Number, kind: str, view: int) -> Number:
        return self.emit(operation, *(self.converted(each, of) for each in operands), kind=kind, view=view)

    def of_truths(self, operation: str, one: Number, other: Any) -> Number:
        """An operation of truth values."""
        if not (isinstance(other, Number) and one.kind == other.kind == "truth"):
            self.refuse_to("combine numbers by logic")
        return self.emit(operation, one, other, kind="truth", view=self.view_of(one, other))

    def choose(self, condition: Number, then: Any, otherwise: Any) -> Number:
        """`then` where the condition holds."""
        one, other = (self.converted(each, "number") for each in (then, otherwise))
        return self.emit(
            "choose", condition, one, other, kind="number", view=self.view_of(condition, one, other)
        )

    def refuse(self, condition: Number) -> None:
        """Leave topics in which a condition holds anywhere to `arrays`."""
        self.emit("refuse", condition, kind="truth", view=SINGLE, single=True)

    def program(self, outputs: Sequence[Number]) -> Program:
        """The program of these results, without instructions that none of them needs."""
        ends = [self.converted(each, "number").register for each in outputs]
        used = {*ends}
        for place, (operation, *arguments) in reversed([*enumerate(self.instructions, INPUTS)]):
            if operation == "refuse" or place in used:
                used |= {place, *arguments[: _registers(operation, arguments)]}
        constants = [place for place in range(len(self.constants)) if -1 - place in used]
        before = [*range(INPUTS), *(-1 - place for place in constants)]
        places = {register: place for place, register in enumerate(before)}
        instructions = []
        for place, (operation, *arguments) in enumerate(self.instructions, INPUTS):
            if place in used:
                cut = _registers(operation, arguments)
                registers = [places[each] for each in arguments[:cut]]
                instructions.append((operation, *registers, *arguments[cut:]))
                places[place] = len(places)
        kept = [self.constants[place] for place in constants]
        return Program(instructions, kept, [*self.tables], [places[end] for end in ends])


def _registers(operation: str, arguments: Sequence[int]) -> int:
    """How many arguments are registers; that of a table comes last."""
    return len(arguments) - (operation in WITH_TABLE)


class Program(Frozen, eq=False):
    """What a tape recorded, in the form that the core takes."""

    instructions: list[tuple[Any, ...]]
    constants: list[float | int]
    tables: list[Any]
    outputs: list[int]

    def filled_tables(self, depth: int) -> list[Any]:
        """The tables, those by rank down to this depth."""
        filled: list[Any] = []
        for table in self.tables:
            if isinstance(table, ByRank):
                filled.append(array("d", table.table(depth + 1)[: depth + 1]))
            elif table is not None:
                filled += (array("d", part) for part in table)
        return filled
