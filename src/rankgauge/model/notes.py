"""Notes and advice: sentences about scores, made from their provenance; they never change a number.

Notes report what happened to the data. Advice is what the papers behind the measures say about reading them,
where these judgments and runs give reason for it, and on which means are hard to interpret.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from rankgauge import core
from rankgauge.formats.problems import assumption
from rankgauge.model.provenance import (
    Facts,
    OtherReading,
    Provenance,
    RunFacts,
    caution_by_name,
    hardly_any,
)
from rankgauge.model.rules import COMBINE, DUPLICATES, MISSING, ORDER, OVER_ORDERS, TIES, UNDEFINED
from rankgauge.schema.options import setting
from rankgauge.schema.text import counted, format_number, spanned

FEW_TOPICS = 25  # Järvelin & Kekäläinen 2002 call 20 topics "rather small to provide reliable results"
MANY_RESULTS = 1_000_000  # from here on, evaluating them takes seconds with the pure core
MAX_SENTENCES = 3  # of one kind; if more runs differ, one sentence covers all


def on_data(provenance: Provenance, *, one_order: bool = False) -> tuple[str, ...]:
    """Notes on missing, undefined and tied data; `one_order` if rules for several are refused."""
    runs, options = provenance.runs, provenance.options
    ties = _decided(options.get("ties", TIES.default), one_order)
    return (
        *_assumed(provenance),
        *filter(None, _values(provenance.measures, "name_note").values()),
        *_counts(runs, "missing", *_missing(options.get("missing", MISSING.default))),
        *on_runs(runs),
        *_counts(
            runs,
            "unjudged_topics",
            "1 topic has no judgments and is left out",
            "# topics have no judgments and are left out",
        ),
        *_counts(
            {"the judgments": provenance.qrels, **runs},
            "duplicates_dropped",
            *_on_duplicates(options.get("duplicates", DUPLICATES.default)),
        ),
        *on_undefined(provenance),
        *(
            f"{measure}: the best ranking takes too long to find for "
            f"{counted(len(facts.unsolved), 'topic')}, left out of the mean: {', '.join(facts.unsolved)} "
            "(ideal=greedy has a value)"
            for measure, facts in provenance.measures.items()
            if facts.unsolved
        ),
        *_counts(
            runs,
            "decisive_ties",
            f"1 tie could change a score ({ties})",
            f"# ties could change a score ({ties})",
        ),
        *_random_orders(runs),
        *_list_lengths(provenance),
        *_above_ideal(runs),
    )


def on_dropped(name: str, count: int, rule: str) -> list[str]:
    """A note on duplicates in judgments or a run, if any."""
    return [*_sentences({name: count}, *_on_duplicates(rule))]


def _on_duplicates(rule: str) -> tuple[str, str]:
    set_to = DUPLICATES.set_to(rule)
    if rule == "error":  # judgments that were read before, by another rule
        return (
            "1 duplicate of a document was left out or combined when it was read",
            "# duplicates of documents were left out or combined when they were read",
        )
    if rule in COMBINE:
        return (
            f"1 repeated label of a document was combined with the others ({set_to})",
            f"# repeated labels of documents were combined with the others ({set_to})",
        )
    return (
        f"1 duplicate of a document was left out ({set_to})",
        f"# duplicates of documents were left out ({set_to})",
    )


def on_runs(runs: Mapping[str, RunFacts]) -> tuple[str, ...]:
    """Warnings about runs, whatever is done with them."""
    judged = {run: _on_judged(facts) for run, facts in runs.items()}
    return (
        *_counts(
            runs,
            "unmapped",
            f"1 result has no document by {setting('collapse')} and stays as it is",
            f"# results have no document by {setting('collapse')} and stay as they are",
        ),
        *_capped(
            _alike(judged),
            lambda sentence, names: f"{_subject(names, len(runs))}: {sentence}",
            ": nothing is relevant or hardly anything is judged, either",
        ),
        *_counts(
            runs,
            "rising_scores",
            rising_scores("1 of the pairs of neighbours looked at"),
            rising_scores("# pairs of neighbours looked at"),
        ),
        *_capped(
            _alike(_values(runs, "copy_of")),
            lambda original, names: (
                f"{_names(names)} {'has' if len(names) == 1 else 'have'} the same documents "
                f"in the same order as {original} in all topics"
            ),
            " have the same documents in the same order as other runs",
        ),
    )


def advice(provenance: Provenance) -> tuple[str, ...]:
    """Cautions on the interpretation of scores."""
    measures = provenance.measures
    small = "fewer relevant documents than the base, up to which no rank is discounted; use a smaller base="
    deep = "more relevant documents than the cutoff, so 1 is out of reach; use a deeper cutoff"
    return (
        *_few_topics(provenance.qrels.topics),
        *_cautions(measures),
        *_of_topics(measures, "small_base", small),
        *_of_topics(measures, "out_of_reach", deep),
        *(
            sentence
            for beyond, names in _alike(_values(measures, "beyond")).items()
            for sentence in _of_topics({name: measures[name] for name in names}, "beyond_base", beyond)
        ),
        *(
            on_reading(measure, facts.other_reading)
            for measure, facts in measures.items()
            if facts.other_reading.differing
        ),
        *_one_subtopic(provenance),
        *(
            f"{_names(names)}: {counted(documents, 'document')} in more than one stratum, counted in each; "
            "use judgments whose strata do not overlap"
            for documents, names in _alike(_values(measures, "overlapping")).items()
        ),
        *(
            f"{_names(names)}: grade {format_number(grade)} has no gain, since it is below rel=1 "
            f"(rel={format_number(grade)} counts it)"
            for grade, names in _alike(_values(measures, "below_rel")).items()
        ),
        *_unjudged(provenance),
        *_slow_core(provenance),
    )


def on_comparison(
    measures: Iterable[str],
    *,
    topics: int | None,
    pairs: int,
    corrected: bool,
    alpha: float,
    marginal: tuple[str, ...],
) -> tuple[str, ...]:
    """Cautions for comparisons; `topics` is None if their number was stated."""
    sentences = [*_few_topics(topics), *_cautions(measures)]
    if pairs > 1 and not corrected:
        sentences.append(
            f"{pairs} pairs without correction: if no runs differed, about {pairs * alpha:.1f} would appear "
            f"significant by chance ({setting('correction', 'holm')} accounts for that)"
        )
    if marginal:
        verb = "differs" if len(marginal) == 1 else "differ"
        sentences.append(f"{_names(marginal)} {verb} significantly, by less than 5 %, which is marginal")
    return tuple(sentences)


def _assumed(provenance: Provenance) -> Iterator[str]:
    if provenance.qrels.assumed:
        yield f"the judgments: {assumption(provenance.qrels.assumed, 'qrels')}"
    for assumed, runs in _alike(_values(provenance.runs, "assumed")).items():
        yield f"{_names(runs)}: {assumption(assumed, 'run')}"


def _missing(rule: str) -> tuple[str, str]:
    if rule == "skip":
        other = MISSING.set_to("zero")
        one, many = f"is left out ({other} counts it)", f"are left out ({other} counts them)"
    else:
        other = MISSING.set_to("skip")
        one, many = f"counts as empty ({other} leaves it out)", f"count as empty ({other} leaves them out)"
    return f"1 judged topic has no results and {one}", f"# judged topics have no results and {many}"


def unjudged(run: str, results: int, ids_differ: str) -> str:
    """An error: nothing is judged."""
    return f"{run}: {_on_judged(RunFacts(retrieved=results, judged=0, ids_differ=ids_differ))}"


def _on_judged(facts: RunFacts) -> str:
    results = "the only result" if facts.retrieved == 1 else f"none of {facts.retrieved:,} results"
    no, are = " not" if facts.retrieved == 1 else "", "is" if facts.judged == 1 else "are"
    if facts.ids_differ:
        cause = f"document ids differ {facts.ids_differ}"
    else:
        cause = "do run and judgments have the same document ids?"
    if facts.judged == 0:
        return f"{results} is{no} judged; {cause}"
    if facts.judged and (facts.ids_differ or hardly_any(facts.judged, facts.retrieved, facts.topics)):
        return f"only {facts.judged:,} of {facts.retrieved:,} results {are} judged; {cause}"
    if not facts.none_relevant:
        return ""
    if facts.judged:
        return f"{results} is{no} relevant to these measures; {facts.judged:,} {are} judged"
    return f"{results} is{no} relevant; {cause}"


def rising_scores(where: str) -> str:
    """A note on a run whose scores rise with its ranks."""
    return (
        f"scores rise with the ranks in {where}, so that the last document comes first; "
        f"are they distances? ({ORDER.set_to('rank')} goes by the ranks)"
    )


def on_undefined(provenance: Provenance, among: Container[str] | None = None) -> Iterator[str]:
    """Notes on undefined values, of all measures or `among` some."""
    undefined = _by_measure(provenance.runs, "undefined")
    alike = _alike(
        {
            measure: (_effect(provenance, measure), counts)
            for measure, counts in undefined.items()
            if among is None or measure in among
        }
    )
    for (effect, counts), measures in alike.items():
        yield from _sentences(
            dict(counts),
            f"{_names(measures)} undefined for 1 topic and {effect}",
            f"{_names(measures)} undefined for # topics and {effect}",
        )


def _effect(provenance: Provenance, measure: str) -> str:
    facts = provenance.measure(measure)
    if facts.average == "micro":
        return "without effect on the micro average"
    if provenance.direction(measure) < 0:
        return "left out of the mean (0 would be the best value)"
    if provenance.options.get("undefined", UNDEFINED.default) == "skip":
        return f"left out of the mean ({UNDEFINED.set_to('zero')} counts it as 0)"
    return f"counted as 0 in the mean ({UNDEFINED.set_to('skip')} leaves it out)"


def _decided(rule: str, one_order: bool) -> str:
    if rule in OVER_ORDERS:
        return f"all orders count: {TIES.set_to(rule)}"
    if one_order:
        return f"broken by {TIES.set_to(rule)}; `rankgauge evaluate` with best and worst shows the range"
    return f"broken by {TIES.set_to(rule)}; best and worst show the range"


def _random_orders(runs: Mapping[str, RunFacts]) -> Iterator[str]:
    drawn = _values(runs, "random_orders")
    for counts, measures in _alike(_by_measure(drawn, "topics")).items():
        random = next(each for each in drawn.values() if each.topics)
        orders = f"{random.orders} random orders of tied documents (seed {random.seed})"
        yield from _sentences(
            dict(counts),
            f"{_names(measures)} over {orders} for 1 topic, which has too many orders to enumerate",
            f"{_names(measures)} over {orders} for # topics, which have too many orders to enumerate",
        )


def _list_lengths(provenance: Provenance) -> Iterator[str]:
    padding = {measure: facts for measure, facts in provenance.measures.items() if facts.N is not None}
    for (length, longest), measures in _alike({m: (f.N, f.longest) for m, f in padding.items()}).items():
        why = ", as many as the longest has (N= sets another number)" if longest else ""
        yield f"{_names(measures)}: lists are cut or padded to N={length} documents{why}"
    for strict, effect in (
        (True, "undefined"),
        (False, "followed by non-relevant documents to twice as many (domain=strict: undefined)"),
    ):
        yield from _counts(
            {m: facts for m, facts in padding.items() if ("domain=strict" in m) == strict},
            "short",
            f"1 topic has more relevant documents than half of N and is {effect}",
            f"# topics have more relevant documents than half of N and are {effect}",
            "measures",
        )


def _above_ideal(runs: Mapping[str, RunFacts]) -> Iterator[str]:
    for measure, counts in _by_measure(runs, "above_ideal").items():
        credited = f"{measure} beats the greedy ideal ranking and is credited with 1 for"
        yield from _sentences(
            dict(counts),
            f"{credited} 1 topic (ideal=unclipped shows by how much)",
            f"{credited} # topics (ideal=unclipped shows by how much)",
        )


def _few_topics(topics: int | None) -> Iterator[str]:
    if topics is not None and topics < FEW_TOPICS:
        chance = f"differences between means may be due to chance; use {FEW_TOPICS} or more"
        yield f"only {counted(topics, 'topic')}: {chance}"


def _cautions(measures: Iterable[str]) -> Iterator[str]:
    cautions = _alike({measure: caution_by_name(measure) for measure in measures})
    return (f"{_names(of)}: {caution}" for caution, of in cautions.items())


def on_reading(measure: str, other: OtherReading) -> str:
    """Notes on measures whose definition can be read in two ways."""
    sentence = (
        f"{measure}: {other.reading} has another value for {other.differing} of {other.values} rankings"
    )
    if not other.pairs:
        return sentence
    return f"{sentence} and another order for {other.swapped} of {other.pairs} pairs of runs"


def _one_subtopic(provenance: Provenance) -> Iterator[str]:
    topics = provenance.qrels.topics
    measures = _alike(_values(provenance.measures, "one_subtopic")).get(topics)
    if measures:
        yield (
            f"{_names(measures)}: no topic has more than one subtopic, so there is nothing to diversify; "
            "use judgments by subtopic, whose second column names it"
        )


def _unjudged(provenance: Provenance) -> Iterator[str]:
    by_cutoff = [
        (cutoff, [count for _, count in counts if count])
        for cutoff, counts in _by_measure(provenance.runs, "unjudged").items()
        if any(count for _, count in counts)
    ]
    if by_cutoff:
        some = [run for run, facts in provenance.runs.items() if any(facts.unjudged.values())]
        ends = dict([by_cutoff[0], by_cutoff[-1]])  # the first and the last say enough
        nouns = ("unjudged document", "")
        tops = " and ".join(
            f"{spanned(counts, noun)} in the top {cutoff}"
            for noun, (cutoff, counts) in zip(nouns, ends.items(), strict=False)
        )
        yield f"{_subject(some, len(provenance.runs))}: {tops} (judged_only=true ignores them)"


def _values(facts_of: Mapping[str, Facts], field: str) -> dict[str, Any]:
    return {name: getattr(facts, field) for name, facts in facts_of.items()}


def _by_measure(facts_of: Mapping[str, Facts], field: str) -> dict[str, tuple[tuple[str, int], ...]]:
    """{measure: (run, count) of every run} from a field {measure: count}."""
    counts = _values(facts_of, field)
    measures = dict.fromkeys(measure for of_run in counts.values() for measure in of_run)
    return {m: tuple((run, of_run.get(m, 0)) for run, of_run in counts.items()) for m in measures}


def _alike(values: Mapping[str, Any]) -> dict[Any, list[str]]:
    """{value: the names that share it}, without empty values."""
    names_of: dict[Any, list[str]] = {}
    for name, value in values.items():
        if value:
            names_of.setdefault(value, []).append(name)
    return names_of


def _capped(
    alike: Mapping[Any, list[str]], sentence: Callable[[Any, list[str]], str], rest: str
) -> Iterator[str]:
    groups = list(alike.items())
    for value, runs in groups[:MAX_SENTENCES]:
        yield sentence(value, runs)
    others = [run for _, runs in groups[MAX_SENTENCES:] for run in runs]
    if others:
        yield f"{_names(others)}{rest}"


def _of_topics(measures: Mapping[str, Facts], field: str, have: str) -> Iterator[str]:
    return _counts(measures, field, f"1 topic has {have}", f"# topics have {have}", "measures")


def _counts(
    facts_of: Mapping[str, Facts], field: str, one: str, many: str, things: str = "runs"
) -> Iterator[str]:
    return _sentences(_values(facts_of, field), one, many, things)


def _sentences(counts: Mapping[str, int], one: str, many: str, things: str = "runs") -> Iterator[str]:
    """A sentence for each count, # standing for it; one for all when counts are many."""
    groups = _alike(counts)
    runs_by_count = {spanned([count]): runs for count, runs in groups.items()}
    if len(groups) > MAX_SENTENCES:
        runs_by_count = {spanned(groups): [run for run, count in counts.items() if count]}
    for shown, runs in runs_by_count.items():
        subject = _subject(runs, len(counts), things)
        if things == "runs" and len(runs) > 1:  # the count is not that of all of them together
            subject = f"in each of {subject.removeprefix('all ')}"
        yield f"{subject}: {one if shown == '1' else many.replace('#', shown)}"


def _subject(names: list[str], of: int, things: str = "runs") -> str:
    return f"all {of} {things}" if len(names) == of > 2 else _names(names)


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    if len(listed) <= 4:
        return ", ".join(listed)
    return f"{', '.join(listed[:3])} and {len(listed) - 3} more"


def _slow_core(provenance: Provenance) -> Iterator[str]:
    if core.NOT_COMPILED and sum(facts.retrieved for facts in provenance.runs.values()) >= MANY_RESULTS:
        yield f"this is several times faster with the compiled core, which is missing: {core.NOT_COMPILED}"
