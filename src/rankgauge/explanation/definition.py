"""The definition of a value, with its source, settings and rules, and other definitions of the same name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from rankgauge.errors import MeasureError
from rankgauge.measures import Measure, Parameter, parse
from rankgauge.measures.rankings.gains import GAINS, SCHEMES, GainsKind
from rankgauge.measures.settings import build
from rankgauge.measures.spec import JUDGED_ONLY, NEGATIVES, REL
from rankgauge.model.rules import ORDER_OPTIONS, TOPIC_OPTIONS, DocumentOrder, TopicRules
from rankgauge.schema.options import AVERAGES, Option
from rankgauge.schema.parameters import Flag, Word
from rankgauge.schema.text import format_number

ACROSS_TOPICS = ("average",)  # parameters without effect on a single topic
MAX_GRADES = 12  # whose gains are listed; there may be many more if grades are not whole numbers
MAX_LEVELS = 4  # of relevance at which a binary measure is shown


def definition(
    measure: Measure,
    levels: Sequence[float],
    order: DocumentOrder,
    longest: int | None,
    topics: TopicRules | None = None,
    *,
    recoding: str = "",
) -> Iterator[tuple[str, str]]:
    """(what, how) of a measure and the rules; those for topics only if topics are averaged.

    `levels` are the grades of the judgments, `recoding` is how they were changed, and `longest` is the length
    of the longest list.
    """
    spec = measure.spec
    yield "title", spec.title
    yield "formula", spec.formula
    yield "source", spec.cite
    if spec.shows.caution:
        yield "caution", spec.shows.caution
    if spec.has("gains"):
        name = GAINS.write(measure.gains)
        yield "gains", f"{name} ({SCHEMES[name]})" if name in SCHEMES else name
        worth = [
            f"grade {format_number(grade)}: {format_number(measure.worth(grade, levels))}" for grade in levels
        ]
        yield "worth", ", ".join([*worth[:MAX_GRADES], *["..."][: len(worth) > MAX_GRADES]])
    if measure.discount is not None:
        yield "discount", measure.discount.words
    for parameter in spec.parameters:
        if parameter.name in ("gains", "discount", "base", *ACROSS_TOPICS):
            continue
        value = measure.settings.get(parameter.name, parameter.default)
        if parameter in (JUDGED_ONLY, NEGATIVES) and parameter.name not in measure.settings:
            continue
        if parameter == REL and measure.rel != value:  # grades are probabilities
            yield REL.name, "any grade above 0 counts as relevant"
            continue
        if value is not None:
            yield parameter.name, f"{parameter.kind.write(value)} ({parameter.help})"
        elif parameter.name == "N" and measure.of_lists:
            yield "N", f"{longest} (the length of the longest list of this run; N= sets another)"
    if spec.curve:
        yield "cutoff", "none" if measure.cutoff is None else str(measure.cutoff)
    if topics is not None:
        yield "average", f"{measure.average} ({AVERAGES[measure.average]})"
    if recoding:
        yield "grades", f"{recoding} (changed before anything else)"
    yield from _rules(ORDER_OPTIONS, order, ("order", "ties"))
    if topics is not None:
        yield from _rules(TOPIC_OPTIONS, topics, ("missing", "undefined"))


def _rules(
    options: Iterable[Option], rules: DocumentOrder | TopicRules, always: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """(option, rule) of those options that are always shown, or are not at their defaults."""
    for option in options:
        rule = getattr(rules, option.name)
        if rule != option.default or option.name in always:
            yield option.name, f"{rule} ({option.rules[rule]})"


def variants(measure: Measure, levels: Sequence[float], *, averages: bool = False) -> list[Measure]:
    """The variants that a measure declares, and the measure with one of its settings changed.

    `averages` adds the other ways to average the values of topics.
    """
    found = [*_declared(measure)]
    if measure.cutoff is not None:
        found.append(build(measure.spec, measure.settings, None))
    for parameter in measure.spec.parameters:
        if not averages and parameter.name in ACROSS_TOPICS:
            continue
        dropped = NEGATIVES.name if parameter == JUDGED_ONLY else None  # meaningless without judged_only
        kept = {name: setting for name, setting in measure.settings.items() if name != dropped}
        for value in choices(parameter, levels):
            with suppress(MeasureError):  # it cannot be combined with the other settings
                found.append(build(measure.spec, {**kept, parameter.name: value}, measure.cutoff))
    return [each for each in dict.fromkeys(found) if each != measure]


def _declared(measure: Measure) -> Iterator[Measure]:
    """The well-known definitions that the measure declares, at its cutoff and level of relevance."""
    framework = {
        p.name: measure.settings[p.name] for p in (REL, JUDGED_ONLY, NEGATIVES) if p.name in measure.settings
    }
    for text in measure.spec.variants:
        named = parse(text)
        inherited = {name: value for name, value in framework.items() if named.spec.has(name)}
        cutoff = measure.cutoff if named.spec.curve and named.cutoff is None else named.cutoff
        yield build(named.spec, inherited | dict(named.settings), cutoff)


def choices(parameter: Parameter, levels: Sequence[float]) -> Iterator[object]:
    """The values of a parameter to show; none for a number, which has too many."""
    if parameter == REL:
        yield from [level for level in levels if level > 0][:MAX_LEVELS]
    elif isinstance(parameter.kind, GainsKind):
        gaps = [level for level in levels if level > 0] != [*range(1, sum(level > 0 for level in levels) + 1)]
        yield from (name for name in SCHEMES if name != "levels" or gaps)  # otherwise it is linear
    elif isinstance(parameter.kind, Word) and parameter.name in ACROSS_TOPICS:
        if parameter.default != "sum":  # counts are added up, and other values are not
            yield from (kind for kind in parameter.kind.choices if kind != "sum")
    elif isinstance(parameter.kind, Word) and parameter.name != NEGATIVES.name:
        yield from parameter.kind.choices
    elif isinstance(parameter.kind, Flag):
        yield from (True, False)
