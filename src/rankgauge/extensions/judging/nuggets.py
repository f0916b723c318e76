"""Evaluation of answers by the nuggets that they contain, and by what their citations support.

An answer is a text that a system generated for a topic. A nugget is a fact that it should contain, vital or
okay. Values are `Scores`; measures are functions of answers, so they have a registry of their own.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.facts import gathered, source_of, versions
from rankgauge.errors import InputError, MeasureError
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.extensions.judging.nuggets_format import FULL, Assessment, Nugget, assessment, read_assessments
from rankgauge.formats.problems import FAILED, quote
from rankgauge.formats.row_reader import number_or_text
from rankgauge.formats.source import NamedPath, Source, expand, run_name
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts, RunFacts
from rankgauge.model.rules import (
    ESTIMATOR,
    MISSING,
    TARGET,
    UNDEFINED,
    Estimator,
    Missing,
    Target,
    TopicRules,
    Undefined,
    refuse_correction,
)
from rankgauge.model.scores import Scores
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Parameter, check_options
from rankgauge.schema.registry import Index
from rankgauge.schema.text import described, repeated, unknown_name

__all__ = ["MEASURES", "Answer", "AnswerMeasure", "evaluate", "parse", "parse_given"]

RAG = "Pradeep et al. 2024, Initial Nugget Evaluation Results for the TREC 2024 RAG Track"
CITATIONS = "Thakur et al. 2025, Support Evaluation for the TREC 2024 RAG Track"
NEEDS = {
    "nuggets": "nuggets with their assignments",
    "length": "the text of answers (answer_text) or their length in characters",
    "sentences": "rows of sentences and citations with their support",
}

Key = tuple[str, str]  # run, topic


class Answer(Frozen):
    """The assessments of an answer; None where unknown."""

    nuggets: Mapping[str, Nugget] | None = None  # by their texts
    length: int | None = None  # in characters without whitespace
    sentences: Mapping[str, Mapping[str, int]] | None = None  # {sentence: {cited document: support}}


class AnswerMeasure(Frozen, eq=False):
    """A measure of answers, with its settings."""

    name: str
    title: str
    formula: str
    cite: str
    function: Callable[..., float]
    settings: Mapping[str, float] = {}
    needs: tuple[str, ...] = ("nuggets",)  # fields of an answer
    parameters: tuple[Parameter, ...] = ()  # settings that a text may change
    other_names: tuple[str, ...] = ()  # those of TREC RAG and of nuggetizer

    def __str__(self) -> str:
        chosen = [p for p in self.parameters if self.settings.get(p.name, p.default) != p.default]
        settings = ",".join(f"{p.name}={p.kind.write(self.settings[p.name])}" for p in chosen)
        return f"{self.name}({settings})" if settings else self.name

    def value(self, answer: Answer) -> float:
        """NaN if it is undefined, or what it needs is unknown."""
        known = all(getattr(answer, field) is not None for field in self.needs)
        return self.function(answer, **self.settings) if known else math.nan


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def recall(answer: Answer, okay: float, partial: float) -> float:
    """The share of nuggets in an answer; `okay` and `partial` are the weights of these."""
    nuggets = (answer.nuggets or {}).values()
    weights = [1.0 if each.vital else okay for each in nuggets]
    credits = [(0.0, partial, 1.0)[each.support] for each in nuggets]
    found = sum(weight * credit for weight, credit in zip(weights, credits, strict=True))
    return _ratio(found, sum(weights))


def nugget_f(answer: Answer, beta: float = 3.0, allowance: float = 100.0) -> float:
    """F of recall of vital nuggets and of precision, which falls with the length beyond the allowance."""
    vital = recall(answer, 0.0, 0.0)
    allowed = allowance * sum(each.support == FULL for each in (answer.nuggets or {}).values())
    length = answer.length or 0
    precision = 1.0 if length <= allowed else allowed / length
    below = beta**2 * precision + vital
    return (beta**2 + 1) * precision * vital / below if below else below


def citation_precision(answer: Answer) -> float:
    """The mean support of a citation for its sentence."""
    cited = [support for of in (answer.sentences or {}).values() for support in of.values()]
    return _ratio(sum(cited) / FULL, len(cited))


def citation_recall(answer: Answer) -> float:
    """The mean over sentences of the best support by a citation."""
    best = [max(of.values(), default=0) for of in (answer.sentences or {}).values()]
    return _ratio(sum(best) / FULL, len(best))


def _recalls() -> Iterable[AnswerMeasure]:
    scopes = {
        "Vital": ("vital nuggets", 0.0),
        "All": ("all nuggets", 1.0),
        "Weighted": ("all nuggets, of which okay ones count half", 0.5),
    }
    for name, (title, okay) in scopes.items():
        for suffix, partial, counts in (("", 0.5, "half"), ("_strict", 0.0, "nothing")):
            yield AnswerMeasure(
                f"{name}{suffix}",
                f"recall of {title}; partial support counts {counts}",
                "support of the nuggets / their number",
                RAG,
                recall,
                {"okay": okay, "partial": partial},
                other_names=(f"{name[0]}{suffix}", f"{suffix[1:]}{name}score"),
            )


MEASURES = {
    each.name: each
    for each in (
        *_recalls(),
        AnswerMeasure(
            "NuggetF",
            "F of the recall of vital nuggets and of brevity; partial support counts nothing",
            "(β² + 1) P R / (β² P + R), P = min(1, allowance ⋅ nuggets found / length)",
            "Voorhees 2004, Overview of the TREC 2004 Question Answering Track",
            nugget_f,
            needs=("nuggets", "length"),
            parameters=(
                Parameter("beta", Number(0, 1e6, above=True), "weight of recall", 3.0),
                Parameter("allowance", Number(0, 1e6, above=True), "characters for each nugget found", 100.0),
            ),
        ),
        AnswerMeasure(
            "CitationPrecision",
            "mean support by a citation; partial support counts half",
            "support by citations / their number",
            CITATIONS,
            citation_precision,
            needs=("sentences",),
        ),
        AnswerMeasure(
            "CitationRecall",
            "mean support of a sentence by its best citation; partial support counts half",
            "best support of sentences / their number",
            CITATIONS,
            citation_recall,
            needs=("sentences",),
        ),
    )
}
USUAL = {"nuggets": "Vital_strict Vital All_strict All", "sentences": "CitationPrecision CitationRecall"}


def parse_given(measures: str | Iterable[str]) -> dict[str, AnswerMeasure]:
    """{given text: its measure}; texts may name several, separated by spaces.

    >>> [str(measure) for measure in parse_given("V_strict NuggetF(beta=5)").values()]
    ['Vital_strict', 'NuggetF(beta=5)']
    """
    texts = [measures] if isinstance(measures, str) else measures
    given = {text: parse(text) for each in texts for text in re.findall(r"[^\s,(]+(?:\([^)]*\)?)?", each)}
    if not given:
        raise MeasureError(f"no measures of answers; name at least one of {', '.join(MEASURES)}")
    return given


def parse(text: str) -> AnswerMeasure:
    """The measure that a text names, in any spelling."""
    written = re.fullmatch(r"([^()]+)(?:\(([^()]*)\))?", text)
    if written is None:
        raise MeasureError(
            f"cannot read the measure {text!r}; a measure of answers looks like NuggetF(beta=3)"
        )
    name, inside = written[1], written[2] or ""
    match = Index((each, [each.name, *each.other_names], []) for each in MEASURES.values()).match(name)
    if match is None:
        raise MeasureError(unknown_name("measure of answers", name, MEASURES))
    measure, _ = match
    pairs = [part.partition("=") for part in inside.split(",") if part.strip()]
    keys = [key.strip() for key, _, _ in pairs]
    check_options(measure.name, measure.parameters, keys)
    for key in repeated(keys):
        raise MeasureError(f"{measure.name}: {key} is set twice in {text!r}")
    known = {parameter.name: parameter for parameter in measure.parameters}
    settings = {
        key: number_or_text(pair[2].strip()) or pair[2] for key, pair in zip(keys, pairs, strict=True)
    }
    chosen = {key: known[key].read(measure.name, value) for key, value in settings.items()}
    return measure._replace(settings={**measure.settings, **chosen})


def evaluate(
    answers: Any,
    measures: str | Iterable[str] | None = None,
    *,
    human_qrels: Any = None,
    human_topics: Any = None,
    estimator: Estimator = ESTIMATOR.default,
    target: Target = TARGET.default,
    missing: Missing = MISSING.default,
    undefined: Undefined = UNDEFINED.default,
) -> Scores:
    """The value of every measure for every run and topic, from assessments of nuggets and citations.

    `answers` is a path or pattern, several of them, or records as nuggetizer writes them; a file whose
    records name no run is a run of its own. `measures` are names of `MEASURES`, by default those of
    nuggetizer, and those of citations if there are any. A run without an answer for a topic gives an empty
    one, unless `missing="skip"`. A value is undefined if there is nothing to divide by: no vital nugget, no
    citation. With `human_qrels`, assessments of some topics by people, those of `answers` are by a language
    model, and the result is `CorrectedScores`, as in `rankgauge.evaluate`.

    >>> nuggets = [
    ...     {"text": "a language", "importance": "vital", "assignment": "support"},
    ...     {"text": "by van Rossum", "importance": "vital", "assignment": "partial_support"},
    ... ]
    >>> evaluate([{"qid": "q1", "run_id": "rag", "nuggets": nuggets}], "Vital_strict Vital").mean()
    {'rag': {'Vital_strict': 0.5, 'Vital': 0.75}}
    """
    rules = TopicRules(missing=missing, undefined=undefined)
    if human_qrels is None:
        refuse_correction(human_topics, estimator, target)
    scores = _scores(Answers.of(answers), measures, rules)
    if human_qrels is None:
        return scores
    by_people = _scores(Answers.of(human_qrels), scores.measures, rules)
    options: Any = {"human_topics": human_topics, "estimator": estimator, "target": target}
    return CorrectedScores.of(scores, by_people, **options)


class Answers:
    """The answers of all runs, gathered from assessments."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.first: dict[Key, Assessment] = {}  # of each answer, for messages
        # {field of an answer: {(run, topic): its value}}
        self._fields: dict[str, dict[Key, Any]] = {field: {} for field in NEEDS}
        self._expected: dict[str, Key] = {}  # {topic: an answer with its nuggets}
        self.failed: set[str] = set()  # runs with labels that nuggetizer did not get

    @classmethod
    def of(cls, given: Any) -> Answers:
        """The answers in files, or in records."""
        several = [given] if isinstance(given, (str, os.PathLike, Mapping)) else given
        if not isinstance(several, Iterable) or hasattr(several, "columns"):
            raise InputError(
                f"answers are files, or a list of records such as {{'qid': ..., 'nuggets': [...]}}, not "
                f"{described(given)}; of a data frame, pass its rows as dicts"
            )
        several = [*several]
        answers = cls(", ".join(dict.fromkeys(map(source_of, several))))
        for number, each in enumerate(several, 1):
            if not isinstance(each, (str, os.PathLike)):
                answers._add(assessment(each, number))
                continue
            for path in expand(each):
                answers._add_file(path)
        if not several:
            raise InputError("there are no answers; pass at least one file or record")
        answers._compare()
        return answers

    def _add_file(self, path: str) -> None:
        found, runs = None, set[str]()
        for found in read_assessments(Source(path)):
            runs |= {found.run} if found.run else set()
            if isinstance(path, NamedPath) and len(runs) > 1:
                raise found.error(
                    f"the file has several runs, {' and '.join(map(quote, sorted(runs)))}; leave "
                    f"{run_name(path)}= out, which names one"
                )
            self._add(found, path)
        if found is None:
            raise InputError("no answers; expected at least one record with a topic", path=path)

    def _add(self, found: Assessment, path: str = "run") -> None:
        run = run_name(path) if isinstance(path, NamedPath) or found.run is None else found.run
        key = run, found.topic
        of = f"of run {quote(run)} to topic {quote(found.topic)}"
        self.first.setdefault(key, found)
        if found.failed:
            self.failed.add(run)
        length = self._fields["length"].setdefault(key, found.length) if found.length is not None else None
        if length != found.length:
            raise found.error(f"the answer {of} has two lengths, {length} and {found.length}; give it one")
        if found.citation is not None:
            sentence, cited, support = found.citation
            citations = self._fields["sentences"].setdefault(key, {}).setdefault(sentence, {})
            if cited in citations:
                raise found.error(
                    f"sentence {quote(sentence)} of the answer {of} cites {quote(cited)} twice; remove one"
                )
            citations.update({cited: support} if cited else {})
            return
        if found.doc is not None:
            raise found.error(
                f"these nuggets are assessed in the document {quote(found.doc)}, not in an answer; use "
                "`rankgauge evaluate FILE RUN -m alpha_nDCG@10` to evaluate rankings by them"
            )
        nuggets = self._fields["nuggets"].setdefault(key, {})
        for nugget in found.nuggets:
            if nugget.text in nuggets:
                raise found.error(f"nugget {quote(nugget.text)} occurs twice in the answer {of}; remove one")
            nuggets[nugget.text] = nugget

    def _compare(self) -> None:
        for key in self._fields["nuggets"]:
            other = self._expected.setdefault(key[1], key)
            nuggets, expected = (
                {(each.text, each.vital) for each in self._fields["nuggets"][which].values()}
                for which in (key, other)
            )
            if nuggets != expected:
                differing, _ = min(nuggets ^ expected)
                raise self.first[key].error(
                    f"the runs {quote(other[0])} and {quote(key[0])} have different nuggets for topic "
                    f"{quote(key[1])}, such as {quote(differing)}; assess all answers by the same nuggets"
                )

    def answer(self, run: str, topic: str) -> Answer:
        """The answer of a run to a topic, perhaps empty."""
        if (run, topic) in self.first:
            return Answer(**{field: known.get((run, topic)) for field, known in self._fields.items()})
        if topic not in self._expected:
            return Answer()
        nuggets: dict[str, Nugget] = self._fields["nuggets"][self._expected[topic]]
        return Answer({text: each._replace(support=0) for text, each in nuggets.items()}, 0)

    def measures(self, given: str | Iterable[str] | None) -> dict[str, AnswerMeasure]:
        """{canonical text: measure}, by default the usual ones; an error if no answer has what one needs."""
        usual = " ".join(names for field, names in USUAL.items() if self._fields[field])
        parsed = parse_given(usual if given is None else given).values()
        for measure in parsed:
            for field in measure.needs:
                if not self._fields[field]:
                    raise MeasureError(
                        f"{measure} needs {NEEDS[field]}, and no answer has any; add them, or leave it out"
                    )
        return {str(measure): measure for measure in parsed}


def _scores(answers: Answers, measures: str | Iterable[str] | None, rules: TopicRules) -> Scores:
    by_name = answers.measures(measures)
    runs = tuple(dict.fromkeys(run for run, _ in answers.first))
    topics = tuple(sorted({topic for _, topic in answers.first}, key=to_bytes))
    values = np.array(
        [
            [[measure.value(answers.answer(run, topic)) for topic in topics] for measure in by_name.values()]
            for run in runs
        ]
    )
    answered = np.array([[(run, topic) in answers.first for topic in topics] for run in runs])
    provenance = Provenance(
        versions=versions(),
        options=rules.as_dict(),
        measures={
            name: MeasureFacts(each.title, each.formula, each.cite, share=True)
            for name, each in by_name.items()
        },
        qrels=QrelsFacts(answers.source, len(topics)),
        runs={
            run: RunFacts(
                next(found.path or answers.source for key, found in answers.first.items() if key[0] == run),
                topics=int(of_run.sum()),
                missing=int((~of_run).sum()),
                assumed=FAILED if run in answers.failed else "",
            )
            for run, of_run in zip(runs, answered, strict=True)
        },
    )
    return gathered(topics, values, rules.counts(answered), rules, provenance)
