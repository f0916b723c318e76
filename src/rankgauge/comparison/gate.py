"""Conditions under which a check fails, for continuous integration.

    condition = measure ("drops" | "rises") ["by" number ["%"]] ["significantly"]
              | measure ("drops" | "rises") ["by" number] "on any topic"
              | measure ("below" | "above") number ["on any topic"]
              | measure "may worsen by" number
              | condition "in" segment

For example `nDCG@10 drops by 2% significantly`: the run's mean is at least 2 per cent below the baseline's,
and the test finds it worse, with a corrected p below α. Without `%` the number is a difference; without `by`,
any change counts: that of the mean or, with `significantly`, what the test finds, even if the mean says
otherwise. `below` and `above` look at the run itself, `on any topic` at topics instead of the mean. `may
worsen by 0.01` (or `not worse than baseline by 0.01`) holds unless the run is shown to be non-inferior by
that margin. `in intent=navigational` restricts a condition to a segment of topics; p is corrected for all
segments. Where the value, the change or its p is undefined, or human judgments are too few to correct means,
the check fails; topics without a value are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.result import MeasureComparison, Pair, p_name, p_phrase
from rankgauge.errors import MeasureError, OptionError
from rankgauge.measures.language import canonical
from rankgauge.measures.reader import refuse_grid
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.schema.text import counted, format_number

CHANGES = {"drops": -1, "rises": 1}
LEVELS = {"below": -1, "above": 1}
RISK = "may"
VERBS = CHANGES | LEVELS | {RISK: -1}
NOT_WORSE = re.compile(r"\bnot worse than (?:the )?baseline by\b")
SAID = re.compile(  # other ways to name a limit
    r"\s*(?:(?P<below><(?!=)|\b(?:is )?(?:(?:less|lower|smaller) than|under)\b)"
    r"|(?P<above>>(?!=)|\b(?:is )?(?:(?:more|higher|greater) than|over)\b))\s*"
)
ANY_TOPIC = ["on", "any", "topic"]
MAX_TOPICS = 5  # that a failure names
EXAMPLE = "nDCG@10 drops by 2% significantly"
_WORD = re.compile(r"\S+")
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")
_LEVEL = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)")


@dataclass(frozen=True)
class Condition:
    """A value or a change of a measure that makes a check fail."""

    measure: str
    verb: str
    amount: float  # for changes, 0 means any
    percent: bool = False
    significantly: bool = False
    any_topic: bool = False
    segment: str = ""  # of the topics that count; empty for all

    def __str__(self) -> str:
        amount = f"{format_number(self.amount)}{'%' if self.percent else ''}"
        by = f" {amount}" if self.verb in LEVELS else f" by {amount}" if self.amount else ""
        end = " significantly" if self.significantly else " on any topic" if self.any_topic else ""
        end += f" in {self.segment}" if self.segment else ""
        return f"{self.measure} {self.verb}{' worsen' * (self.verb == RISK)}{by}{end}"

    def without_baseline(self) -> OptionError:
        """The error for a change without a baseline."""
        return OptionError(
            f"--fail-if: {self} needs a baseline; use `rankgauge compare`, or name a limit, as in "
            f"'{self.measure} below 0.7'"
        )

    def failures(self, scores: Scores, compared: MeasureComparison | None) -> list[str]:
        """Why the check fails, for each pair or run; empty if it passes. Changes need a comparison."""
        runs = scores.runs if compared is None else [*dict.fromkeys(pair.run for pair in compared.pairs)]
        if self.any_topic and scores.correction:
            raise OptionError(
                f"--fail-if: {self} looks at single topics, and human judgments correct means; leave out "
                "`on any topic`, or the human judgments"
            )
        if scores.undecided:
            return [f"cannot be decided, since means are {scores.undecided}"]
        if self.any_topic:
            values = self._values_of_topics(scores)
        if self.verb in LEVELS and self.any_topic:
            found = [self._on_topics(run, values[run]) for run in runs]
        elif self.verb in LEVELS:
            means = scores.mean()
            found = [self._of_mean(run, means[run][self.measure]) for run in runs]
        elif compared is None:
            raise self.without_baseline()
        elif self.any_topic:
            pairs = compared.pairs
            found = [self._on_topics(str(pair), values[pair.run], values[pair.against]) for pair in pairs]
        else:
            found = [self.failure(compared, pair) for pair in compared.pairs]
        return [*filter(None, found)]

    def _values_of_topics(self, scores: Scores) -> dict[str, dict[str, float]]:
        """{run: {topic: value}}; undefined values count as in the mean."""
        direction, unsolved = scores.direction(self.measure), scores.provenance.measure(self.measure).unsolved
        return {
            run: {
                topic: known
                for topic, value in by_measure[self.measure].items()
                for known in scores.rules.known([value] if topic not in unsolved else [], direction)
            }
            for run, by_measure in scores.only(measures=[self.measure]).to_dict().items()
        }

    def _of_mean(self, run: str, mean: float) -> str:
        if math.isnan(mean):
            return f"{run}: the mean is undefined"
        return f"{run}: {mean:.4f}" if VERBS[self.verb] * round(mean - self.amount, 9) > 0 else ""

    def _on_topics(self, who: str, new: Mapping[str, float], old: Mapping[str, float] | None = None) -> str:
        """The topics that meet the condition, the worst first."""
        base, least = (dict.fromkeys(new, self.amount), 0.0) if old is None else (old, self.amount)
        both = [topic for topic in new if topic in base]
        if not both:
            return f"{who}: no topic has {'a value' if old is None else 'values of both runs'}"
        # a drop by exactly 0.3 counts
        excess = {topic: round(VERBS[self.verb] * (new[topic] - base[topic]), 9) for topic in both}
        met = [topic for topic in both if excess[topic] > 0 and excess[topic] >= least]
        worst = sorted(met, key=lambda topic: -excess[topic])[:MAX_TOPICS]
        before = {topic: "" if old is None else f"{old[topic]:.4f} to " for topic in worst}
        shown = ", ".join(f"{topic} ({before[topic]}{new[topic]:.4f})" for topic in worst)
        more = f" and {len(met) - MAX_TOPICS} more" if len(met) > MAX_TOPICS else ""
        return f"{who}: {counted(len(met), 'topic')}, {shown}{more}" if shown else ""

    def failure(self, compared: MeasureComparison, pair: Pair) -> str:
        """Why the check fails for a pair; empty if it passes."""
        way = VERBS[self.verb]
        means = f"{pair}: {pair.mean_against:.4f} to {pair.mean:.4f}"
        if self.verb == RISK:
            return self._not_ruled_out(means, compared, pair)
        if math.isnan(pair.difference):
            return f"{means}: the change is undefined"
        if self.significantly and not math.isnan(pair.corrected):
            found = compared.verdict(pair)
            if not found or way * (1 if found.better == pair.run else -1) * (compared.direction or 1) < 0:
                return ""
            if found.disagreement and not self.amount:
                return f"{self._numbers(means, compared, pair)}; {found.disagreement}"
        if way * pair.difference <= 0:
            return ""  # also where the per cent is undefined: a rise from 0 is not a drop
        change = way * (pair.percent if self.percent else pair.difference)
        if math.isnan(change):
            return (
                f"{means}: the change in per cent is undefined, since the mean of {pair.against} is near 0; "
                f"name a difference, as in '{self.measure} {self.verb} by 0.01'"
            )
        change = round(change, 9)  # a drop by exactly 2 % counts
        if change <= 0 or change < self.amount:
            return ""
        if self.significantly and math.isnan(pair.corrected):
            return f"{means}: p is undefined ({counted(pair.topics, 'topic')}; {pair.method})"
        return self._numbers(means, compared, pair)

    def _not_ruled_out(self, means: str, compared: MeasureComparison, pair: Pair) -> str:
        """Why the run may be worse by the margin; empty if it is shown not to be."""
        if compared.margin != self.amount:
            raise OptionError(f"--fail-if: {self} needs a comparison with margin={self.amount:g}")
        p = pair.corrected_not_worse
        return "" if p < compared.alpha else f"{means}, one-sided p {p_phrase(p)}"

    def _numbers(self, means: str, compared: MeasureComparison, pair: Pair) -> str:
        percent = "" if math.isnan(pair.percent) else f", {pair.percent:+.1f} %"
        return f"{means}{percent}, {p_name(compared.corrects)} {p_phrase(pair.corrected)}"


def parse_condition(text: str) -> Condition:
    """The condition that a text names."""
    text = NOT_WORSE.sub("may worsen by", text)
    if not any(word in VERBS for word in text.split()):
        text = SAID.sub(lambda said: f" {said.lastgroup} ", text, count=1)
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    place = next((number for number, (word, _) in enumerate(words) if word in VERBS), None)
    if place is None:
        at = words[1][1] if len(words) > 1 else len(text)
        raise _error(text, at, f"expected a measure and then {', '.join(CHANGES | LEVELS)} or may worsen")
    if place == 0:
        raise _error(text, 0, f"expected a measure before {words[0][0]}")
    measure = re.sub(r"\s+(is|falls|goes)$", "", text[words[0][1] : words[place][1]].rstrip())
    refuse_grid(measure)
    verb, rest = words[place][0], words[place + 1 :]
    amount, percent, segment = 0.0, False, ""
    within = next((number for number, (word, _) in enumerate(rest) if word == "in"), len(rest))
    if rest[within:]:
        at = rest[within][1] + len("in")
        segment, rest = text[at:].strip(), rest[:within]
        if "=" not in segment:
            raise _error(text, at, "expected a segment such as intent=navigational after `in`")
    if verb == RISK:
        return Condition(measure, verb, _margin(text, rest), segment=segment)
    if verb in LEVELS or (rest and rest[0][0] == "by"):
        rest = rest[verb in CHANGES :]
        match = (_LEVEL if verb in LEVELS else _AMOUNT).fullmatch(rest[0][0]) if rest else None
        if not match:
            such = "0.7" if verb in LEVELS else "2% or 0.01"
            raise _error(text, rest[0][1] if rest else len(text), f"expected a number such as {such}")
        percent = match[0].endswith("%")
        amount = float(match[0].rstrip("%"))
        rest = rest[1:]
        if rest and rest[0][0] == "%" and verb in CHANGES and not percent:
            percent, rest = True, rest[1:]
    significantly = verb in CHANGES and bool(rest) and rest[0][0] == "significantly"
    any_topic = [word for word, _ in rest[:3]] == ANY_TOPIC
    if any_topic and percent:
        raise _error(text, rest[0][1], "expected a difference, not a percentage, before `on any topic`")
    left = rest[3 if any_topic else significantly :]
    if left:
        ends = "`by`, `significantly` or `on any topic`" if verb in CHANGES else "`on any topic`"
        raise _error(text, left[0][1], f"expected {'nothing more' if significantly or any_topic else ends}")
    return Condition(measure, verb, amount, percent, significantly, any_topic, segment)


def _margin(text: str, words: list[tuple[str, int]]) -> float:
    places = [*(at for _, at in words), *[len(text)] * 3]
    texts = [word for word, _ in words]
    if texts[:2] != ["worsen", "by"]:
        raise _error(text, places[texts[:1] == ["worsen"]], "expected `may worsen by`")
    if len(texts) < 3 or not _LEVEL.fullmatch(texts[2]) or float(texts[2]) <= 0:
        raise _error(text, places[2], "expected a number such as 0.01")
    if texts[3:]:
        raise _error(text, places[3], "expected nothing more")
    return float(texts[2])


def margins(
    conditions: Iterable[Condition],
    measures: Iterable[str],
    margin: float | Mapping[str, float] | None = None,
) -> dict[str, float]:
    """{measure: the margin of conditions, or that of all measures}."""
    if isinstance(margin, Mapping):
        found = {**margin}
    else:
        found = {} if margin is None else dict.fromkeys(map(canonical, measures), margin)
    for each in conditions:
        if each.verb == RISK and found.setdefault(canonical(each.measure), each.amount) != each.amount:
            raise OptionError(
                f"--fail-if: {each} differs from another margin of {each.measure}, "
                f"{format_number(found[canonical(each.measure)])}; pass the same number"
            )
    return found


def _error(text: str, at: int, expected: str) -> OptionError:
    return OptionError(
        f"--fail-if cannot be parsed: {expected}, as in {EXAMPLE!r}\n  {text}\n  {' ' * at}^ here"
    )


def spelled(conditions: Iterable[Condition], parse: Callable[[str], object]) -> dict[str, str]:
    """{measure of a condition: its canonical text, as `parse` reads it}."""
    try:
        return {each.measure: str(parse(each.measure)) for each in conditions}
    except MeasureError as error:
        raise OptionError(f"--fail-if: {error}") from None


def on_families(conditions: Iterable[Condition], comparison: Comparison) -> Iterator[str]:
    """What conditions on several measures add up to, if p is corrected for each measure alone."""
    measures = {canonical(each.measure) for each in conditions if each.significantly}
    if len(measures) > 1 and comparison.family != "all":
        yield (
            f"each of {len(measures)} measures is tested at α = {comparison.alpha:g}, so one of them fails "
            "by chance more often than one alone; --family all corrects p for all measures"
        )


def check(
    conditions: Iterable[Condition],
    scores: Scores,
    comparison: Comparison | None = None,
    segments: Segments | None = None,
) -> dict[str, list[str]]:
    """{condition: why it fails; empty if it passes}; measures may have any spelling.

    Limits of values are checked for every run, or for the runs that a comparison compares with others.
    `segments` are those of the comparison.
    """
    measures = scores.measures if comparison is None else comparison.measures
    spelled = {canonical(measure): measure for measure in measures}
    checks = {}
    for condition in conditions:
        if canonical(condition.measure) not in spelled:
            raise OptionError(
                f"--fail-if: the scores have no {condition.measure}, only {', '.join(measures)}"
            )
        known = replace(condition, measure=spelled[canonical(condition.measure)])
        part, of_part = scores, comparison
        if known.segment:
            if segments is None:
                raise OptionError(f"--fail-if: {known} needs the segments of topics; pass --by FILE[:COLUMN]")
            found = segments.find(known.segment)
            part = scores.of_topics(found.topics)
            of_part = None if comparison is None else comparison.segments[found.name]
        compared = None if of_part is None else of_part[known.measure]
        checks[str(known)] = known.failures(part, compared)
    return checks
