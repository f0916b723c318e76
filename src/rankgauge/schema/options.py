"""Options that are a choice between named rules: one record each, which the library, help and docs read."""

from __future__ import annotations

from collections.abc import Mapping

from rankgauge.schema.checks import choice
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.surface import setting


class Option(Frozen):
    """A choice between named rules; the first is the default."""

    name: str
    title: str
    rules: Mapping[str, str]  # {name: what it does}

    @property
    def default(self) -> str:
        """The rule that holds by default."""
        return next(iter(self.rules))

    def check(self, value: object) -> str:
        """Return the value if it is one of the rules, otherwise raise an error that lists them."""
        return choice(self.name, value, self.rules)

    def set_to(self, rule: str) -> str:
        """How the rule is chosen, where the message is shown."""
        return setting(self.name, rule)


AVERAGES = {
    "mean": "the arithmetic mean",
    "geometric": "the geometric mean; values below 0.00001 count as 0.00001, as in trec_eval",
    "median": "the median",
    "sum": "the sum",
    "micro": "one ratio over all topics: the mean weighted by the denominators",
}
