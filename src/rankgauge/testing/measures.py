"""The laws of measures."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import MeasureError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import MEASURES, Measure, named, parse, parse_all
from rankgauge.measures.rankings.gains import LINEAR
from rankgauge.measures.spec import Spec
from rankgauge.testing import examples
from rankgauge.testing.examples import (
    Judgments,
    Results,
    campaign,
    cutoff,
    judged_for,
    levels_of,
    plainest,
    settings_of,
    written,
)
from rankgauge.testing.laws import EXAMPLES, Laws

SLACK = 1e-12  # sums in another order differ in the last bits
COMMON_GRADES = [0, 0, 1, 1, 2, 3, 0.5, 10]
LAWS: Laws[Spec] = Laws("measure")


def check_measure(
    name: str, *, laws: Iterable[str] | None = None, examples: int = EXAMPLES, seed: int = 0
) -> None:
    """Check that a registered measure obeys the laws of measures, and those that it declares.

    Args:
        name: its name, such as "nDCG"
        laws: the names of the laws to check; by default all
        examples: how many random campaigns and settings each law is checked on
        seed: of the random examples

    """
    LAWS.check(name, MEASURES.find(name) or MEASURES[name], laws, examples, seed)


class Case:
    """A random campaign and a random text of a measure."""

    def __init__(self, spec: Spec, rng: Random, grades: Any = examples.GRADES, varied: bool = False) -> None:
        self.spec = spec
        self.qrels, self.run = campaign(rng, grades)
        self.cutoff = cutoff(rng, spec)
        self.settings = law_settings(spec, rng.random(), self.qrels, varied)
        self.text = written(spec.name, self.settings, self.cutoff)

    def values(self, *texts: str, run: Results | None = None) -> npt.NDArray[np.float64]:
        """(texts, topics) the values of measures; by default, of this one."""
        named = texts or (self.text,)
        found = examples.evaluate(self.qrels, self.run if run is None else run, named).values[0]
        return np.asarray(found)

    def shown(self, **more: Any) -> str:
        """The case, to be seen in a message."""
        facts = {"measure": self.text, "judgments": self.qrels, "run": self.run, **more}
        return "\n".join(f"  {name}: {value}" for name, value in facts.items())


def law_settings(spec: Spec, seed: Any, qrels: Judgments, varied: bool = False) -> dict[str, Any]:
    """Settings under which all that the registry says of a measure holds; bounds do if it is `varied`."""
    settings = settings_of(spec, seed, levels_of(qrels))
    if not varied:
        settings.pop(spec.laws.varies, None)
    if settings.get("N", 20) < 20:  # lists cut above the last document of the ideal ranking
        del settings["N"]
    return settings


def at_least(value: float, other: float) -> bool:
    """Whether a value is no smaller than another, or both are undefined."""
    return (math.isnan(value) and math.isnan(other)) or value >= other - SLACK * max(1.0, abs(other))


def same(one: Any, other: Any) -> bool:
    """Whether two arrays are equal bit for bit, undefined where undefined."""
    return bool(np.array_equal(one, other, equal_nan=True))


# Values.


def ideal_run(qrels: Judgments, text: str) -> Results:
    """{topic: {document: score}}: the best ranking the judgments allow, as the measure sees it."""
    measure = parse(text)
    if measure.spec.ideal is not None:
        return _own_ideal_run(qrels, measure)
    run = {}
    for topic, judged in qrels.items():
        worth = worth_of(measure, judged)
        docs = sorted((doc for doc in judged if worth[doc] > 0), key=lambda doc: (-worth[doc], -judged[doc]))
        run[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
    return run


def _own_ideal_run(qrels: Judgments, measure: Measure) -> Results:
    """The same for a measure that knows its best ranking itself."""
    evaluator = Evaluator(judged_for(qrels, measure), [measure])
    back_end: Any = evaluator.back_end
    [(_, _, pool)] = back_end.blocks
    ideal: Any = measure.ideal(pool)
    judged: Any = evaluator.qrels
    docs = judged.sorted_docs.texts()
    kept = [n for n, grade in enumerate(judged.sorted_grades.tolist()) if grade >= back_end.lowest_grade]
    run = {}
    for number, topic in enumerate(judged.sorted_topics):
        hits = slice(ideal.starts[number], ideal.starts[number + 1])
        places = [kept[pool.starts[number] + doc] for doc in ideal.doc[hits].tolist()]
        run[topic] = {docs[place]: float(-rank) for rank, place in enumerate(places)}
    return run


def worth_of(measure: Measure, judged: dict[str, float]) -> dict[str, float]:
    """{document: what the measure takes it for}: its gain, whether it is relevant, or both."""
    graded = any(p.name == "gains" for p in measure.spec.parameters)
    gain = {doc: measure.gains.worth(float(grade)) if graded else 0.0 for doc, grade in judged.items()}
    if not measure.spec.binary:
        return gain if graded else {doc: LINEAR.worth(float(grade)) for doc, grade in judged.items()}
    return {doc: 1.0 + gain[doc] if measure.is_relevant(grade) else 0.0 for doc, grade in judged.items()}


@LAWS.law("a value is within the bounds of its measure, or undefined")
def _bounds(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng, varied=True)
    low, high = parse(case.text).bounds
    for value in case.values()[0]:
        assert math.isnan(value) or low <= value <= high + SLACK, case.shown(value=value, bounds=(low, high))


@LAWS.law("no ranking is better than the ideal one", lambda spec: spec.best != "open")
def _ideal(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng, COMMON_GRADES)
    best = ideal_run(case.qrels, case.text)
    if not any(best.values()):
        return  # nothing is worth anything: there is no ideal run
    if case.cutoff is None and spec.laws.beyond_end == "less" and spec.best != "one":
        return  # divided by what is retrieved, a short ranking may be better than a complete one
    for ideal, value in zip(case.values(run=best)[0], case.values()[0], strict=True):
        defined = not (math.isnan(ideal) or math.isnan(value))
        assert not defined or at_least(spec.direction * ideal, spec.direction * value), case.shown(
            value=value, ideal_run=best, ideal_value=ideal
        )


@LAWS.law(
    "the ideal ranking scores 1 on a normalised measure, or is undefined", lambda spec: spec.best == "one"
)
def _ideal_is_one(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng, COMMON_GRADES)
    text = written(spec.name, case.settings)
    best = ideal_run(case.qrels, text)
    if not any(best.values()):
        return
    gains = parse(text).gains
    values = case.values(text, run=best)[0]
    for topic, value in zip(sorted(case.qrels, key=str.encode), values, strict=True):
        nothing = all(gains.worth(float(case.qrels[topic][doc])) == 0 for doc in best[topic])
        assert value == 1 or (nothing and (math.isnan(value) or value == 0)), case.shown(
            measure=text, topic=topic, ideal_run=best, ideal_value=value
        )


@LAWS.law("a better document moved up never hurts", lambda spec: spec.laws.monotone)
def _monotone(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng)
    measure = parse(case.text)
    before, after = {}, {}
    for topic, found in case.run.items():
        worth = worth_of(measure, case.qrels[topic])
        docs = sorted(found)
        swapped = list(docs)
        i = rng.randrange(20) % len(docs)
        if i + 1 < len(docs) and worth.get(docs[i + 1], 0.0) > worth.get(docs[i], 0.0):
            swapped[i : i + 2] = docs[i + 1], docs[i]
        before[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
        after[topic] = {doc: float(-rank) for rank, doc in enumerate(swapped)}
    values = zip(case.values(run=after)[0], case.values(run=before)[0], strict=True)
    for new, old in values:
        assert at_least(spec.direction * new, spec.direction * old), case.shown(
            before=before, value_before=old, after=after, value_after=new
        )


@LAWS.law(
    "a cutoff past the end of ranking and judgments is none at all",
    lambda spec: spec.curve and spec.laws.beyond_end != "other",
)
def _beyond_the_end(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng)
    longest = max(len(part) for part in (*case.qrels.values(), *case.run.values()))
    texts = written(spec.name, case.settings, longest + rng.randrange(10)), written(spec.name, case.settings)
    cut, uncut = case.values(*texts)
    if spec.laws.beyond_end == "less":
        holds = all(at_least(u, c) for c, u in zip(cut, uncut, strict=True) if not math.isnan(u))
    else:
        holds = same(cut, uncut)
    assert holds, case.shown(measure=texts[0], values=cut, without_a_cutoff=uncut)


@LAWS.law("the curve of a measure is its value at every cutoff, bit for bit", lambda spec: spec.curve)
def _curve(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng)
    settings, depth = settings_of(spec, rng.random(), levels_of(case.qrels)), rng.randint(1, 20)
    found = examples.curves(case.qrels, case.run, written(spec.name, settings), depth=depth)
    values = case.values(*(written(spec.name, settings, rank) for rank in range(1, depth + 1)))
    assert same(found.values[0, 0].T, values), case.shown(
        measure=written(spec.name, settings), curve=found.values[0, 0].T, values_at_cutoffs=values
    )


@LAWS.law("a program has the values of arrays, bit for bit")
def _program(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng, varied=True)
    evaluator = Evaluator(judged_for(case.qrels, parse(case.text)), [case.text])
    values = evaluator.evaluate(case.run).values
    back_end: Any = evaluator.back_end
    back_end.programmed = None, ()  # none of its measures
    assert same(values, evaluator.evaluate(case.run).values), case.shown()


@LAWS.law("a topic depends on others only by their grades and the longest list")
def _topics_alone(spec: Spec, rng: Random) -> None:
    case = Case(spec, rng)
    levels = levels_of(case.qrels)
    text = written(spec.name, settings_of(spec, rng.random(), levels))
    others = "with the highest grade, or all that count, and the longest list"
    seen = levels if "gains=levels" in text else levels[-1:]
    highest = {others: {f"x{place}": level for place, level in enumerate(seen)}}
    longest = {others: max(case.run.values(), key=len)}
    together = examples.evaluate(case.qrels, case.run, text)
    for topic in case.run:
        alone = examples.evaluate(
            {topic: case.qrels[topic], **highest}, {topic: case.run[topic], **longest}, text
        )
        found = alone.values[0, 0, alone.topics.index(topic)]
        wanted = together.values[0, 0, together.topics.index(topic)]
        assert same(found, wanted), case.shown(measure=text, topic=topic, alone=found, together=wanted)


# Texts.


def _texts(spec: Spec, rng: Random) -> Iterator[str]:
    """Two texts of a measure."""
    for at in (cutoff(rng, spec), None):
        yield written(spec.name, settings_of(spec, rng.random()), at)


@LAWS.law("a measure reads back from its text, and travels as it")
def _reads_back(spec: Spec, rng: Random) -> None:
    for text in _texts(spec, rng):
        found = parse(text)
        again = parse(str(found))
        assert again == found, f"{text} is {found}, which reads back as {again}"
        assert (str(again), again.settings, again.cutoff) == (str(found), found.settings, found.cutoff), text
        assert parse_all(f"{found}, {found}") == (found,), text
        assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found, text
        assert str(found) in repr(found), text


@LAWS.law("the text of a measure has its parameters in declared order and no defaults")
def _canonical(spec: Spec, rng: Random) -> None:
    declared = {p.name: p.default for p in spec.parameters}
    for text in _texts(spec, rng):
        found = parse(text)
        assert [*found.settings] == [p for p in declared if p in found.settings], f"{text} is {found}"
        assert all(found.settings[p] != declared[p] for p in found.settings), f"{text} is {found}"
        assert " " not in str(found), f"{text} is {found}"


@LAWS.law("measures are equal when their texts are")
def _equality(spec: Spec, rng: Random) -> None:
    one, two = map(parse, _texts(spec, rng))
    assert (one == two) == (str(one) == str(two)), (one, two)
    assert (hash(one) == hash(two)) or one != two, (one, two)


@LAWS.law("a measure of defaults is written as its name", random=False)
def _defaults(spec: Spec, _: Random) -> None:
    plain = plainest(spec.name)
    written_out = {
        p.name: p.default
        for p in spec.parameters
        if p.written_default and (p.name != "negatives" or spec.own_negatives)
    } | dict(parse(plain).settings)
    texts = {p: spec.parameter(p).kind.write(value) for p, value in written_out.items()}
    text = f"{spec.name}({','.join(f'{p}={text}' for p, text in texts.items())})"
    assert str(parse(text)) == plain, f"{text} is written as {parse(text)}, not as {plain}"


@LAWS.law("a measure says what it is, and its example can be evaluated", random=False)
def _described(spec: Spec, _: Random) -> None:
    for part in ("title", "formula", "cite", "example", "help"):
        assert getattr(spec, part).strip(), f"it has no {part}"
    first = spec.help.splitlines()[0].rstrip()
    assert first.endswith("."), f"the first line of its docstring is no sentence: {first!r}"
    assert inspect.getdoc(spec.function) == spec.help
    low, high = spec.bounds
    assert low < high, f"its bounds are {spec.bounds}"
    assert all(p.kind.words for p in spec.parameters), "a kind of parameter has no words"
    assert parse(spec.example).spec is spec, f"its example, {spec.example}, is another measure"
    scores = examples.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "c": 1.0}}, spec.example)
    assert scores.measures == (str(parse(spec.example)),)
    assert scores.provenance.measures[scores.measures[0]].title == spec.title


def _refusal(text: str) -> str:
    """The message of the error that a text is."""
    try:
        found = parse(text)
    except MeasureError as error:
        return str(error)
    raise AssertionError(f"{text} is no error, but {found}")


@LAWS.law("what is misspelt or missing is an error that says what is meant", random=False)
def _slips(spec: Spec, _: Random) -> None:
    message = _refusal(f"{spec.name}x")
    assert f"no measure named '{spec.name}x'" in message, message
    if len(spec.name) > 1:  # half of a text is no slip
        assert f"(did you mean {spec.name}?)" in message, message
    for parameter in spec.parameters:
        message = _refusal(f"{spec.name}({parameter.name[:-1]}x=1)")
        assert f"{spec.name} has no parameter '{parameter.name[:-1]}x'" in message, message
        assert all(p.name in message for p in spec.parameters), message
    if plainest(spec.name) != spec.name:
        message = _refusal(spec.name)
        assert f"{spec.name} needs " in message, message
        assert spec.example in message, message


@LAWS.law("a value that a parameter cannot have is an error that says which it can have", random=False)
def _values(spec: Spec, _: Random) -> None:
    for value in ("nonsense", "-1e999", "{}", "{1:-1}", "1" + "0" * 400, "{1:1e999}", "''"):
        for parameter in spec.parameters:
            if value == "{1:-1}" and getattr(parameter.kind, "signed", False):
                continue
            message = _refusal(f"{spec.name}({parameter.name}={value})")
            wanted = f"{spec.name}: {parameter.name} must be {parameter.kind.words}, not "
            assert wanted in message, message


@LAWS.law("names of other tools and other spellings are understood", random=False)
def _spellings(spec: Spec, _: Random) -> None:
    for spelling in (*spec.aliases, *spec.trec):
        meaning = spec.meanings.get(spelling, "")
        stem, _separator, parameters = spelling.rstrip("}").partition("_{")
        values = dict(zip(filter(None, parameters.split(",")), (0.5, 0.25, 0.125, 0.0), strict=False))
        if "gains" in values:
            inside, tail = "gains={1:5,2:7.5}", "1=5,2=7.5"
        else:
            inside = ",".join(f"{p}={value}" for p, value in values.items())
            tail = ",".join(map(str, values.values()))
        if not parameters and any(p.required for p in spec.parameters):  # Fallout(docs=...)
            assert named(spelling) == named(spec.name), spelling
            continue
        settings = ",".join(filter(None, (meaning, inside)))
        meant = parse(f"{spec.name}({settings})" + ("@7" if spelling.endswith("_k") else ""))
        for separator in "_.":
            text = f"{stem}{separator}{tail}" if tail else re.sub("_k$", f"{separator}7", spelling)
            assert parse(text) == meant, f"{text} is {parse(text)}, not {meant}"
