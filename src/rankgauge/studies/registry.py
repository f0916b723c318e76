"""The registry of studies: one decorated function each, read by the command line, help, docs and tests.

    @study("power", title="Discriminative power", cite="Sakai 2006", example="qrels.txt runs/*.gz -m AP")
    def power(
        campaign: "Campaign",
        *,
        seed: Annotated[int, Whole(0), "seed of the random samples"] = 1,
    ) -> "Findings":
        \"\"\"How many pairs of runs a measure can tell apart.\"\"\"

Its signature is its options, its docstring its help. The module is not called like the study: importing it
must not put it in the other's place. It imports NumPy inside the function; what it takes to compute goes
into `rankgauge.studies.numerics`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.schema.parameters import Parameter, parameters_of
from rankgauge.schema.text import nearest

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


class Studies(dict[str, "Study"]):
    """Studies by name; one whose name has `-` is found by `_` as well, as Python writes it."""

    def __missing__(self, name: str) -> Study:
        if "_" in name:
            return self[name.replace("_", "-")]
        raise KeyError(name)


_STUDIES = Studies()


@dataclass(frozen=True, eq=False)
class Study:
    """All that is known of a study."""

    name: str
    title: str
    cite: str
    example: str  # what stands behind `rankgauge study NAME` on a command line that makes sense
    help: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Findings]  # takes settings as they were checked
    call: Callable[..., Findings]  # checks settings; the public function
    diverse: bool = False  # needs judgments by subtopic
    least_runs: int = 1

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All settings, those that were given checked; an error says what is allowed."""
        known = {p.name: p for p in self.parameters}
        for name in given.keys() - known.keys():
            raise OptionError(
                f"the study {self.name} has no option {name!r}{nearest(name, known)}; "
                f"it has {', '.join(known) or 'none'}"
            )
        return {p.name: self._read(p, given.get(p.name, p.default)) for p in self.parameters}

    def _read(self, parameter: Parameter, value: Any) -> Any:
        unsaid = value is None and parameter.default is None
        return None if unsaid else parameter.read(self.name, value, OptionError)


def study(
    name: str, *, title: str, cite: str, example: str, diverse: bool = False, least_runs: int = 1
) -> Callable[..., Callable[..., Findings]]:
    """Register the decorated function as a study; what it returns comes with the settings it was made by."""

    def register(function: Callable[..., Findings]) -> Callable[..., Findings]:
        if function.__module__ == f"rankgauge.studies.{name.replace('-', '_')}":
            raise TypeError(f"the module of the study {name} has its name; call it after what it looks into")
        if name in _STUDIES and _STUDIES[name].function.__module__ != function.__module__:
            raise TypeError(
                f"there is a study called {name} already, in {_STUDIES[name].function.__module__}"
            )

        @functools.wraps(function)
        def call(campaign: Any, **settings: Any) -> Findings:
            from rankgauge.studies.campaign import Campaign

            asked = Campaign.of(campaign)
            chosen = found.settings(settings)
            if len(asked.runs) < least_runs:
                raise InputError(
                    f"the study {name} takes at least {least_runs} runs, and there is 1; give more"
                )
            return function(asked, **chosen).of(found, asked, chosen)

        found = Study(
            name=name,
            title=title,
            cite=cite,
            example=example,
            help=inspect.getdoc(function) or "",
            parameters=parameters_of(function),
            function=function,
            call=call,
            diverse=diverse,
            least_runs=least_runs,
        )
        _STUDIES[name] = found
        return call

    return register


def studies() -> Mapping[str, Study]:
    """All studies by name."""
    _import_all()
    return Studies(sorted(_STUDIES.items()))


@functools.cache
def _import_all() -> None:
    import importlib
    import pkgutil

    package = importlib.import_module("rankgauge.studies")
    for module in pkgutil.iter_modules(package.__path__):
        # what studies are made of and compute with imports NumPy, which a list of them can do without
        if not module.ispkg and module.name not in ("campaign", "findings"):
            importlib.import_module(f"rankgauge.studies.{module.name}")
    importlib.import_module("rankgauge.studies.catalogue.twist")
