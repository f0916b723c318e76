"""The verb `judges`: what the labels of judges, such as language models, do to an evaluation.

Intervals of coefficients come from a bootstrap over topics, those of means from Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from rankgauge.campaigns.findings import Findings
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.agreement_study import checked_rel, common_topics, restricted, scores_by
from rankgauge.extensions.judging.assessors import compare_judgments, unique_names
from rankgauge.extensions.judging.judge_agreement import MAX_LEVELS, agreement_table, grades_table
from rankgauge.extensions.judging.judge_effects import HALF_WIDTH, TOP, Effects
from rankgauge.extensions.judging.judge_labels import notes_on_labels, read_labels, refuse_other_scales
from rankgauge.measures import Measure, parse
from rankgauge.model.output.tables import Table
from rankgauge.model.rules import DUPLICATES, Grades
from rankgauge.numbers.bootstrap import TopicBootstrap
from rankgauge.numbers.intervals import LEVEL
from rankgauge.numbers.tau_test import EQUIVALENT
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Number, Text, Whole
from rankgauge.schema.text import counted

SAMPLES, SEED = 1000, 1  # of the bootstrap over topics
# What a judge must reach to be called fit for a use, with the whole interval; not fit: with none of it.
BIAS = 0.02  # of means
KAPPA = 0.6  # "substantial" agreement: Landis & Koch 1977
LIMITS = (
    f"A judge can be used for something if the whole {100 * LEVEL:g} % interval is within a limit, and "
    f"cannot if none of it is: a bias of ±{BIAS} for means (of every run; of all runs), τ of at least "
    f"{EQUIVALENT} for orders (Voorhees 2001), κ of at least {KAPPA} for single labels (Landis & Koch 1977)."
)
CAPTIONS = {
    "agreement": "With intervals of a bootstrap over topics. Leniency is the mean of the judge's grades "
    "minus the human ones; the last rows are of labels that it gave repeatedly, if any.",
    "grades": "Documents by their human grade (rows) and the judge's (columns). Labels between human grades "
    f"count as the nearest; more than {MAX_LEVELS} different grades are rounded to as many, evenly spaced.",
    "runs": "The bias is the judge's mean minus the human one.",
    "groups": "The mean bias of the runs of a group, and its excess over that of all others; preference is "
    "that of a judge for its own group.",
    "orders": f"Similarity to the order by human judgments; the top {TOP} are the best by these.",
    "pairs": "Pairs of runs that differ significantly by human judgments (paired t-test, Holm), and how many "
    "of them the judge confirms, misses and reverses; added: significant by the judge alone.",
    "topics": f"Topics to judge for an interval of ±{HALF_WIDTH} for the median run or pair of runs: by "
    "human judgments alone, and by their differences from the judge's labels of all topics. The mean is over "
    "these topics, or over topics like these, of which the judge labels very many.",
}


def judges(
    human: Any,
    others: Any,
    runs: Any = None,
    *,
    measure: str | Measure = "nDCG@10",
    groups: Annotated[
        Any, Text(), "groups of runs, such as model families: two columns, run (or judge) and group"
    ] = None,
    rel: Annotated[float, Number(), "the lowest relevant grade"] = 1,
    samples: Annotated[int, Whole(2), "bootstrap samples of topics"] = SAMPLES,
    seed: Annotated[int, Whole(0), "of the samples"] = SEED,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **options: Any,
) -> Findings:
    """How far judges agree with human judgments, and what they do to the scores and the order of runs.

    Judgments, runs and options are those of `rankgauge.evaluate`; `others` are the labels of a judge, or a
    list of several. A file that names several judges has one for each. Labels that a judge gave repeatedly
    are combined by the option `duplicates`, and show how consistent it is. `groups` is a file of two columns,
    run and group, or such a dict; the group of a judge is its own model family.

    >>> human = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 0}}
    >>> found = judges(human, {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 0}})
    >>> [round(row["value"], 3) for row in found.records("agreement") if row["coefficient"] == "kappa"]
    [0.615]
    """
    rel, duplicates = checked_rel(rel), options.get("duplicates", DUPLICATES.default)
    sources = list(others) if isinstance(others, (list, tuple)) else [others]
    reading = qrels_format, qrels_columns, duplicates, grades
    people = next(read_labels(human, *reading))
    labels = [each for source in sources for each in read_labels(source, *reading, by_judge=True)]
    if not labels:
        raise OptionError("there is no judge to compare with the human judgments; add at least one")
    names = unique_names(people.qrels.name, *(each.qrels.name for each in labels))
    topics = common_topics([people.qrels, *(each.qrels for each in labels)])
    sets = [restricted(each.qrels, topics) for each in (people, *labels)]
    agreed = [
        compare_judgments(sets[0], judge, rel, (names[0], name))
        for name, judge in zip(names[1:], sets[1:], strict=True)
    ]
    for found in agreed:
        refuse_other_scales(found)
    bootstrap = TopicBootstrap(whole_number("samples", samples, 2), whole_number("seed", seed, 0))
    tables = {"agreement": agreement_table(agreed, labels, bootstrap), "grades": grades_table(agreed)}
    settings: dict[str, Any] = {"human": names[0], "judges": names[1:], "rel": rel}
    if runs is not None:
        campaign, scores = scores_by(sets, runs, [parse(measure)], **options)
        tables |= Effects.of(names[1:], scores, bootstrap, groups).tables()
        settings |= {"measure": scores[0].measures[0], **campaign.settings}
    return Findings(
        sentences=[
            *(" ".join(_paragraph(name, tables)) for name in names[1:]),
            LIMITS,
            *notes_on_labels([people, *labels], names, agreed, len(topics)),
        ],
        tables=tables,
        captions={name: CAPTIONS[name] for name in tables},
        study="judges",
        title="Judges compared with human judgments",
        settings={**settings, "samples": samples, "seed": seed, "duplicates": duplicates},
    )


class _Use(NamedTuple):
    """A possible use of a judge, the number that decides, its interval and the verdict."""

    what: str
    symbol: str
    value: float
    low: float
    high: float
    verdict: str  # can, cannot, or open

    @classmethod
    def of(cls, what: str, symbol: str, value: float, low: float, high: float, least: float) -> _Use:
        """A use for which a number must be at least this high."""
        verdict = "can" if low >= least else "cannot" if high < least else "open"
        return cls(what, symbol, value, low, high, verdict)

    def __str__(self) -> str:
        sign = "+" if self.symbol == "bias" else ""
        value, low, high = ("undefined" if math.isnan(each) else f"{each:{sign}.3f}" for each in self[2:5])
        interval = "no interval" if math.isnan(self.low) else f"{low} to {high}"
        return f"{self.what} ({self.symbol} {value}, {interval})"


def _paragraph(judge: str, tables: Mapping[str, Table]) -> Iterator[str]:
    """Sentences on uses of a judge, and on its effect on an evaluation."""
    uses = [*_uses(judge, tables)]
    for verdict, opening, conjunction in (
        ("can", f"{judge} can be used to", "and"),
        ("cannot", f"{judge} cannot be used to", "or"),
        ("open", f"These data leave open whether {judge} can be used to", "or"),
    ):
        if listed := [str(use) for use in uses if use.verdict == verdict]:
            yield f"{opening} {f', {conjunction} to '.join(listed)}."
    if "pairs" not in tables:
        return
    significant, confirmed, missed, contrary, added, _ = _rows(tables, "pairs", judge)[0][1:]
    if significant:
        yield (
            f"Of {counted(significant, 'pair')} of runs that differ significantly by human judgments, it "
            f"confirms {confirmed:,}, misses {missed:,} and reverses {contrary:,}; it adds {added:,}."
        )
    else:
        yield f"No pair of runs differs significantly by human judgments; it adds {added:,}."
    for row in _rows(tables, "groups", judge):
        if len(row) > 6 and row[-1]:
            excess, low, high, preference = row[-4:]
            yield (
                f"Runs of its own group, {row[1]}, are {preference}: their bias minus that of others is "
                f"{excess:+.3f} ({'no interval' if math.isnan(low) else f'{low:+.3f} to {high:+.3f}'})."
            )
    _, estimate, alone, together, *_ = _rows(tables, "topics", judge)[0]
    if not math.isnan(alone):
        yield (
            f"An interval of ±{HALF_WIDTH} for the {estimate} over these topics takes human judgments of "
            f"{together} topics with this judge, and of {alone} without it."
        )


def _uses(judge: str, tables: Mapping[str, Table]) -> Iterator[_Use]:
    if "runs" in tables:
        for _, which, coefficient, value, low, high in _rows(tables, "orders", judge):
            if coefficient == "tau" and len(_rows(tables, "runs", judge)) > 1:
                yield _Use.of(f"order {which}", "τ", value, low, high, EQUIVALENT)
        value, low, high = _rows(tables, "groups", judge)[0][3:6]
        verdict = "cannot" if low > BIAS or high < -BIAS else "open"
        if all(low >= -BIAS and high <= BIAS for *_, low, high, _, _ in _rows(tables, "runs", judge)):
            verdict = "can"
        yield _Use("report its means as they are", "bias", value, low, high, verdict)
    kappa = next(row for row in _rows(tables, "agreement", judge) if row[1] == "kappa")
    value, low, high = kappa[2:]
    yield _Use.of("replace single human labels", "κ", value, low, high, KAPPA)


def _rows(tables: Mapping[str, Table], name: str, judge: str) -> list[Any]:
    return [row for row in tables[name].rows if row[0] == judge]
