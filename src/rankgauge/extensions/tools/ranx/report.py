"""ranx's `compare` and `Report`: means with superscripts, as text, as LaTeX and as numbers."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

from rankgauge.comparison import Comparison
from rankgauge.comparison import compare as compare_runs
from rankgauge.errors import InputError
from rankgauge.extensions.tools.ranx.evaluation import Evaluated, UnsupportedTest, evaluate_runs
from rankgauge.extensions.tools.ranx.tables import Run, pandas
from rankgauge.formats.target import writing
from rankgauge.model.output.tables import printable, render, width
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import letters, repeated

_RAISED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ")


class Pairs(dict[frozenset[str], dict[str, dict[str, Any]]]):
    """Results for pairs of models, looked up in either order: `pairs["bm25", "dense"]`."""

    def __getitem__(self, pair: Iterable[str]) -> dict[str, dict[str, Any]]:
        return super().__getitem__(frozenset(pair))


class Report:
    """The results of `compare`; printed, a table in which superscripts mark significant differences.

    `results` has {model: {metric: mean}}, `comparisons[a, b]` {metric: {"p_value", "significant"}} and
    `win_tie_loss[a, b]` {metric: {"W", "T", "L"}}, numbers of topics. `comparison` is rankgauge's own result,
    with intervals, effect sizes and the details of each test; None for a single run.
    """

    def __init__(
        self,
        evaluated: Evaluated,
        comparison: Comparison | None,
        stat_test: str,
        max_p: float,
        rounding_digits: int = 3,
        *,
        show_percentages: bool = False,
    ) -> None:
        self._evaluated = evaluated
        self.comparison = comparison
        self.stat_test, self.max_p = stat_test, max_p
        self.rounding_digits, self.show_percentages = rounding_digits, show_percentages
        self.metrics = list(evaluated.texts)
        self.model_names = list(evaluated.scores.runs)
        self.results: dict[str, dict[str, float]] = {
            model: {metric: float(values.mean()) for metric, values in evaluated.by_topic(place).items()}
            for place, model in enumerate(self.model_names)
        }
        self.comparisons = Pairs()
        self.win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
        for metric, text in evaluated.texts.items() if comparison else ():
            for pair in comparison[text].pairs if comparison else ():
                self.comparisons.setdefault(frozenset((pair.run, pair.against)), {})[metric] = {
                    "p_value": pair.p,
                    "significant": bool(pair.p <= max_p),
                }
                counts = pair.wins, pair.ties, pair.losses
                for models, order in (((pair.run, pair.against), 1), ((pair.against, pair.run), -1)):
                    counted = dict(zip("WTL", counts[::order], strict=True))
                    self.win_tie_loss.setdefault(models, {})[metric] = counted

    def to_table(self) -> str:
        """The report as text: the letter of each model, its name, and its means."""
        names = letters(len(self.model_names))
        lines = [["#", "Model", *self._evaluated.labels.values()]]
        for letter, model in zip(names, self.model_names, strict=True):
            means = (
                f"{self._number(self.results[model][metric])}{self._superscript(model, metric, names)}"
                for metric in self.metrics
            )
            lines.append([letter, printable(model), *means])
        widths = [max(width(head) + 2, *map(width, cells)) for head, *cells in zip(*lines, strict=True)]
        lines.insert(1, ["-" * size for size in widths])
        padded = (
            [cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)]
            for line in lines
        )
        return "\n".join("  ".join(line).rstrip() for line in padded)

    def _number(self, mean: float) -> str:
        digits = self.rounding_digits
        return f"{100 * mean:.{max(0, digits - 2)}f}" if self.show_percentages else f"{mean:.{digits}f}"

    def _superscript(self, model: str, metric: str, names: list[str]) -> str:
        """The letters of the models that this one is significantly better than."""
        mean = self.results[model][metric]
        return "".join(
            letter.translate(_RAISED)
            for letter, other in zip(names, self.model_names, strict=True)
            if other != model
            and self.comparisons[model, other][metric]["significant"]
            and mean > self.results[other][metric]
        )

    def to_latex(self, *, caption: str | None = None, label: str = "tab:results") -> str:
        """The report as a LaTeX table with booktabs: the best means in bold, and what the letters mean."""
        places = max(0, self.rounding_digits - 2) if self.show_percentages else self.rounding_digits
        labels = {text: self._evaluated.labels[metric] for metric, text in self._evaluated.texts.items()}
        options: dict[str, Any] = {"labels": labels, "percent": self.show_percentages, "label": label}
        options["places"] = places
        if self.comparison is None:
            table = self._evaluated.scores.table(caption=caption or "", **options)
        else:
            table = self.comparison.paper(caption=caption, marks="letters", **options)
        return render(table, "latex", places)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the report, with the names of metrics and models, for JSON."""
        content: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": list(self.metrics),
            "model_names": list(self.model_names),
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            content[model] = {
                "scores": dict(self.results[model]),
                "comparisons": {
                    other: {m: self.comparisons[model, other][m]["p_value"] for m in self.metrics}
                    for other in others
                },
                "win_tie_loss": {other: dict(self.win_tie_loss[model, other]) for other in others},
            }
        return content

    def to_dataframe(self) -> Any:
        """A pandas frame with the column model_names and one for each metric."""
        return pandas().DataFrame([{"model_names": model, **means} for model, means in self.results.items()])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict()` to a JSON file; an undefined p is null."""
        with writing(path) as file:
            file.write(json.dumps(json_value(self.to_dict()), indent=4).encode())

    def print_results(self) -> None:
        """Print the means as JSON."""
        print(json.dumps(self.results, indent=4))

    def __repr__(self) -> str:
        return self.to_table()


TESTS = {"student": "t", "fisher": "randomisation", "tukey": "tukey"}


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
    *,
    ties: str = "docid_desc",
) -> Report:
    """A report on which runs differ significantly, pair by pair, without a correction, as in ranx.

    `stat_test` is student (paired t-test), fisher (randomisation) or tukey (HSD). Tukey's test accounts for
    topics here, and for all pairs; ranx's treats the values of runs as independent samples.
    """
    if stat_test.lower() not in TESTS:
        raise UnsupportedTest(f"stat_test must be one of {', '.join(TESTS)}, not {stat_test!r}")
    test = TESTS[stat_test.lower()]
    names = [getattr(run, "name", None) or f"run_{number}" for number, run in enumerate(runs, 1)]
    if twice := repeated(names):
        raise InputError(f"two runs are called {twice[0]!r}; give each a name of its own: Run(run, name=...)")
    evaluated = evaluate_runs(
        qrels,
        dict(zip(names, runs, strict=True)),
        metrics,
        threads=threads,
        make_comparable=make_comparable,
        ties=ties,
    )
    for place, run in enumerate(runs):
        if isinstance(run, Run):
            evaluated.save(run, evaluated.by_topic(place))
    comparison = None
    if len(runs) > 1:
        comparison = compare_runs(
            evaluated.scores,
            test=test,
            correction="none",
            alpha=math.nextafter(max_p, 1.0),  # ranx finds a p of exactly max_p significant
            samples=n_permutations if test == "randomisation" else None,
            seed=random_seed,
            threads=threads or None,
        )
    return Report(
        evaluated, comparison, stat_test.lower(), max_p, rounding_digits, show_percentages=show_percentages
    )
