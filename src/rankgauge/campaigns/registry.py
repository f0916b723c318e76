"""The registry of studies: one decorated function each.

    @study("power", title="Discriminative power", cite="Sakai 2006", example="qrels.txt runs/*.gz -m AP")
    def power(
        campaign: Campaign,
        *,
        seed: Annotated[int, Whole(0), "seed of the random samples"] = 1,
    ) -> Findings:
        \"\"\"For how many pairs of runs a measure finds a significant difference.\"\"\"

The signature of a study declares its options, and its docstring is its help.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.schema.parameters import Parameter, check_options, parameters_of
from rankgauge.schema.registry import Registry, guarded

if TYPE_CHECKING:
    from rankgauge.campaigns.findings import Findings


@dataclass(frozen=True, eq=False)
class DeclaredStudy:
    """A study without its function: the arguments of `study`."""

    name: str
    title: str
    cite: str
    example: str  # the arguments of a realistic command line, after `rankgauge study NAME`
    needs_subtopics: bool = False  # needs judgments by subtopic
    needs_topics: bool = True  # or else means of runs are enough
    least_runs: int = 1  # 0: it needs judgments alone


@dataclass(frozen=True, eq=False, kw_only=True)
class Study(DeclaredStudy):
    """A study and its description."""

    help: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Findings]  # takes options that have been checked
    call: Callable[..., Findings]  # checks options; the public function

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The checked value of every option, or its default."""
        check_options(f"the study {self.name}", self.parameters, options)
        return {p.name: self._read(p, options.get(p.name, p.default)) for p in self.parameters}

    def require_runs(self, count: int) -> None:
        """Refuse fewer runs than the study needs, before they are read if possible."""
        if count < self.least_runs:
            raise InputError(
                f"the study {self.name} needs at least {self.least_runs} runs, not {count}; add more"
            )

    def shared(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options that a report shares with the study, unless the study has its own choice."""
        open_ = {p.name for p in self.parameters if p.default is None}
        return {name: value for name, value in options.items() if name in open_ and value is not None}

    def _read(self, parameter: Parameter, value: Any) -> Any:
        unset = value is None and parameter.default is None
        return None if unset else parameter.read(self.name, value, OptionError)


STUDIES: Registry[Study] = Registry(
    "rankgauge.studies",
    "study",
    (),
    listing="rankgauge study",
)


@dataclass(frozen=True, eq=False)
class study(DeclaredStudy):
    """Register the decorated function as a study; its findings are returned with the settings used."""

    def __call__(self, defined: Callable[..., Findings]) -> Callable[..., Findings]:
        """Register this function."""
        function = guarded("study", self.name, defined)

        @functools.wraps(function)
        def call(source: Any, **options: Any) -> Findings:
            from rankgauge.campaigns.campaign import Campaign

            campaign = Campaign.of(source)
            settings = entry.settings(options)
            entry.require_runs(len(campaign.runs))
            if self.needs_topics:
                campaign.require_topics(f"the study {self.name}")
            found = function(campaign, **settings)
            used = {**settings, **found.settings, **campaign.settings}
            return replace(found, study=self.name, title=self.title, settings=used)

        entry = Study(
            **vars(self),
            help=inspect.getdoc(function) or "",
            parameters=parameters_of(function),
            function=function,
            call=call,
        )
        STUDIES.add(self.name, entry, function)
        return call
