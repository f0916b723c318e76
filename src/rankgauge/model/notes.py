"""Notes and advice: sentences about scores, made from their provenance.

Notes report what happened to the data: missing topics, undefined values, ties. Advice is what the papers
behind the measures say about reading them, where these judgments and runs give reason for it; what holds
whatever the data (`Shown.caution`) is shown where a measure is explained. Each kind of advice is one sentence
for measures or runs alike, with what to do about it. Neither ever changes a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rankgauge.formats.problems import assumption
from rankgauge.model.provenance import OtherReading, Provenance, RunFacts, hardly_any
from rankgauge.model.rules import DUPLICATES, MISSING, ORDER, OVER_ORDERS, TIES, UNDEFINED
from rankgauge.schema.options import setting
from rankgauge.schema.text import format_number

FEW_TOPICS = 25  # Järvelin & Kekäläinen 2002 call 20 topics "rather small to provide reliable results"
MOST_SENTENCES = 3  # of one kind; if more runs differ, one sentence covers all


def on_data(provenance: Provenance, *, one_order: bool = False) -> tuple[str, ...]:
    """What is missing, left out, undefined or tied; `one_order` where rules for several are refused."""
    return (
        *_assumed(provenance),
        *_missing(provenance),
        *on_runs(provenance.runs),
        *_unjudged_topics(provenance),
        *_duplicates(provenance),
        *_undefined(provenance),
        *_ties(provenance, one_order),
        *_random_orders(provenance),
        *_list_lengths(provenance),
        *_above_ideal(provenance),
    )


def on_runs(runs: Mapping[str, RunFacts]) -> tuple[str, ...]:
    """What may be wrong with runs, whatever is done with them."""
    return (*_hardly_judged(runs), *_rising_scores(runs), *_copies(runs))


def advice(provenance: Provenance) -> tuple[str, ...]:
    """What to be careful about."""
    return (
        *_few_topics(provenance.qrels.topics),
        *_small_bases(provenance),
        *_out_of_reach(provenance),
        *_beyond_base(provenance),
        *_other_readings(provenance),
        *_one_subtopic(provenance),
        *_below_rel(provenance),
        *_unjudged(provenance),
    )


def on_comparison(
    *, topics: int, pairs: int, corrected: bool, alpha: float, marginal: tuple[str, ...]
) -> tuple[str, ...]:
    """What to be careful about when runs are compared; `marginal` names pairs that differ, but by little."""
    sentences = list(_few_topics(topics))
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
    alike: dict[str, list[str]] = {}
    for run, facts in provenance.runs.items():
        if facts.assumed:
            alike.setdefault(facts.assumed, []).append(run)
    for assumed, runs in alike.items():
        yield f"{_names(runs)}: {assumption(assumed, 'run')}"


def _missing(provenance: Provenance) -> Iterator[str]:
    if provenance.options.get("missing", MISSING.default) == "skip":
        other = MISSING.set_to("zero")
        one, many = f"is left out ({other} counts it)", f"are left out ({other} counts them)"
    else:
        other = MISSING.set_to("skip")
        one, many = f"scores 0 ({other} leaves it out)", f"score 0 ({other} leaves them out)"
    return _sentences(
        {run: facts.missing for run, facts in provenance.runs.items()},
        f"1 judged topic has no results and {one}",
        f"# judged topics have no results and {many}",
    )


def _hardly_judged(facts_of: Mapping[str, RunFacts]) -> Iterator[str]:
    """Runs of which nothing is relevant or hardly anything is judged, with the likely cause."""
    alike: dict[str, list[str]] = {}
    for run, facts in facts_of.items():
        if sentence := _on_judged(facts):
            alike.setdefault(sentence, []).append(run)
    for sentence, runs in list(alike.items())[:MOST_SENTENCES]:
        yield f"{_subject(runs, len(facts_of))}: {sentence}"
    if others := [run for runs in list(alike.values())[MOST_SENTENCES:] for run in runs]:
        yield f"{_names(others)}: nothing is relevant or hardly anything is judged, either"


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


def _rising_scores(facts_of: Mapping[str, RunFacts]) -> Iterator[str]:
    return _sentences(
        {run: facts.rising_scores for run, facts in facts_of.items()},
        rising_scores("1 of the pairs of neighbours looked at"),
        rising_scores("# pairs of neighbours looked at"),
    )


def rising_scores(where: str) -> str:
    """The sentence on a run whose scores rise with its ranks, with where they do."""
    return (
        f"scores rise with the ranks in {where}, so that the last document comes first; "
        f"are they distances? ({ORDER.set_to('rank')} goes by the ranks)"
    )


def _copies(facts_of: Mapping[str, RunFacts]) -> Iterator[str]:
    copies: dict[str, list[str]] = {}
    for run, facts in facts_of.items():
        if facts.copy_of:
            copies.setdefault(facts.copy_of, []).append(run)
    for original, runs in list(copies.items())[:MOST_SENTENCES]:
        verb = "has" if len(runs) == 1 else "have"
        yield f"{_names(runs)} {verb} the same documents in the same order as {original} in all topics"
    if others := [run for runs in list(copies.values())[MOST_SENTENCES:] for run in runs]:
        yield f"{_names(others)} have the same documents in the same order as other runs"


def _unjudged_topics(provenance: Provenance) -> Iterator[str]:
    return _sentences(
        {run: facts.unjudged_topics for run, facts in provenance.runs.items()},
        "1 topic has no judgments and is left out",
        "# topics have no judgments and are left out",
    )


def _duplicates(provenance: Provenance) -> Iterator[str]:
    rule = DUPLICATES.set_to(provenance.options.get("duplicates", DUPLICATES.default))
    dropped = {run: facts.duplicates_dropped for run, facts in provenance.runs.items()}
    return _sentences(
        {"the judgments": provenance.qrels.duplicates_dropped, **dropped},
        f"1 duplicate of a document was left out ({rule})",
        f"# duplicates of documents were left out ({rule})",
    )


def _undefined(provenance: Provenance) -> Iterator[str]:
    alike: dict[tuple[str, tuple[int, ...]], list[str]] = {}  # measures with the same counts
    for measure, counts in _by_measure({run: facts.undefined for run, facts in provenance.runs.items()}):
        alike.setdefault((_effect(provenance, measure), counts), []).append(measure)
    for (effect, counts), measures in alike.items():
        yield from _sentences(
            dict(zip(provenance.runs, counts, strict=True)),
            f"{_names(measures)} undefined for 1 topic and {effect}",
            f"{_names(measures)} undefined for # topics and {effect}",
        )


def _effect(provenance: Provenance, measure: str) -> str:
    """What becomes of a measure's undefined values."""
    facts = provenance.measure(measure)
    if facts.average == "micro":
        return "without effect on the micro average"
    if provenance.direction(measure) < 0:
        return "left out of the mean (0 would be the best value)"
    if provenance.options.get("undefined", UNDEFINED.default) == "skip":
        return f"left out of the mean ({UNDEFINED.set_to('zero')} counts it as 0)"
    return f"counted as 0 in the mean ({UNDEFINED.set_to('skip')} leaves it out)"


def _ties(provenance: Provenance, one_order: bool) -> Iterator[str]:
    rule = provenance.options.get("ties", TIES.default)
    effect = f"decided by {TIES.set_to(rule)}; best and worst show by how much"
    if one_order:
        effect = (
            f"decided by {TIES.set_to(rule)}; `rankgauge evaluate` shows by how much, with best and worst"
        )
    if rule in OVER_ORDERS:
        effect = f"all orders count: {TIES.set_to(rule)}"
    return _sentences(
        {run: facts.decisive_ties for run, facts in provenance.runs.items()},
        f"1 tie could change a score ({effect})",
        f"# ties could change a score ({effect})",
    )


def _random_orders(provenance: Provenance) -> Iterator[str]:
    topics = {run: facts.random_orders.topics for run, facts in provenance.runs.items()}
    alike: dict[tuple[int, ...], list[str]] = {}  # measures with the same counts
    for measure, counts in _by_measure(topics):
        alike.setdefault(counts, []).append(measure)
    for counts, measures in alike.items():
        random = next(f.random_orders for f in provenance.runs.values() if f.random_orders.topics)
        orders = f"{random.orders} random orders of tied documents (seed {random.seed})"
        yield from _sentences(
            dict(zip(provenance.runs, counts, strict=True)),
            f"{_names(measures)} over {orders} for 1 topic, which has too many orders to enumerate",
            f"{_names(measures)} over {orders} for # topics, which have too many orders to enumerate",
        )


def _list_lengths(provenance: Provenance) -> Iterator[str]:
    """The length to which lists are padded or cut, and the topics for which it is too short."""
    padding = {measure: facts for measure, facts in provenance.measures.items() if facts.N is not None}
    alike: dict[tuple[int | None, bool], list[str]] = {}
    for measure, facts in padding.items():
        alike.setdefault((facts.N, facts.longest), []).append(measure)
    for (length, longest), measures in alike.items():
        why = ", as many as the longest has (N= sets another number)" if longest else ""
        yield f"{_names(measures)}: lists are cut or padded to N={length} documents{why}"
    for domain, effect in (
        ("domain=strict", "undefined"),
        ("", "followed by non-relevant documents to twice as many (domain=strict: undefined)"),
    ):
        yield from _sentences(
            {m: facts.short for m, facts in padding.items() if ("domain=strict" in m) == bool(domain)},
            f"1 topic has more relevant documents than half of N and is {effect}",
            f"# topics have more relevant documents than half of N and are {effect}",
            "measures",
        )


def _above_ideal(provenance: Provenance) -> Iterator[str]:
    for measure, counts in _by_measure({run: f.above_ideal for run, f in provenance.runs.items()}):
        credited = f"{measure} beats the greedy ideal ranking and is credited with 1 for"
        yield from _sentences(
            dict(zip(provenance.runs, counts, strict=True)),
            f"{credited} 1 topic (ideal=unclipped shows by how much)",
            f"{credited} # topics (ideal=unclipped shows by how much)",
        )


def _few_topics(topics: int | None) -> Iterator[str]:
    if topics is not None and topics < FEW_TOPICS:
        count = "1 topic" if topics == 1 else f"{topics} topics"
        yield f"only {count}: differences between means may be due to chance; use {FEW_TOPICS} or more"


def _by_fact(provenance: Provenance, name: str) -> dict[Any, list[str]]:
    """The measures that have a fact, by its value."""
    alike: dict[Any, list[str]] = {}
    for measure, facts in provenance.measures.items():
        if value := getattr(facts, name):
            alike.setdefault(value, []).append(measure)
    return alike


def _small_bases(provenance: Provenance) -> Iterator[str]:
    effect = "ranks up to the base are not discounted (a smaller base= discounts more of them)"
    return _sentences(
        {measure: facts.small_base for measure, facts in provenance.measures.items()},
        f"1 topic has fewer relevant documents than the base; {effect}",
        f"# topics have fewer relevant documents than the base; {effect}",
        "measures",
    )


def _out_of_reach(provenance: Provenance) -> Iterator[str]:
    effect = "no ranking can reach 1 there (with a deeper cutoff, one could)"
    return _sentences(
        {measure: facts.out_of_reach for measure, facts in provenance.measures.items()},
        f"1 topic has more relevant documents than the cutoff: {effect}",
        f"# topics have more relevant documents than the cutoff: {effect}",
        "measures",
    )


def _beyond_base(provenance: Provenance) -> Iterator[str]:
    for beyond, measures in _by_fact(provenance, "beyond").items():
        yield from _sentences(
            {measure: provenance.measure(measure).beyond_base for measure in measures},
            f"1 topic has {beyond}",
            f"# topics have {beyond}",
            "measures",
        )


def _other_readings(provenance: Provenance) -> Iterator[str]:
    for measure, facts in provenance.measures.items():
        if facts.other_reading.differing:
            yield on_reading(measure, facts.other_reading)


def on_reading(measure: str, other: OtherReading) -> str:
    """How much depends on the reading of a measure's definition."""
    sentence = (
        f"{measure}: {other.reading} has another value for {other.differing} of {other.values} rankings"
    )
    if not other.pairs:
        return sentence
    return f"{sentence} and another order for {other.swapped} of {other.pairs} pairs of runs"


def _one_subtopic(provenance: Provenance) -> Iterator[str]:
    topics = provenance.qrels.topics
    measures = [
        m for m, facts in provenance.measures.items() if facts.one_subtopic and topics == facts.one_subtopic
    ]
    if measures:
        yield (
            f"{_names(measures)}: no topic has more than one subtopic, so there is nothing to diversify; "
            "use judgments by subtopic, whose second column names it"
        )


def _below_rel(provenance: Provenance) -> Iterator[str]:
    for grade, measures in _by_fact(provenance, "below_rel").items():
        text = format_number(grade)
        yield f"{_names(measures)}: grade {text} has no gain, since it is below rel=1 (rel={text} counts it)"


def _unjudged(provenance: Provenance) -> Iterator[str]:
    by_cutoff = [
        (cutoff, [count for count in counts if count])
        for cutoff, counts in _by_measure({run: facts.unjudged for run, facts in provenance.runs.items()})
        if any(counts)
    ]
    if by_cutoff:
        some = [run for run, facts in provenance.runs.items() if any(facts.unjudged.values())]
        ends = dict([by_cutoff[0], by_cutoff[-1]])  # the first and the last say enough
        counted = " and ".join(f"{_range(counts)} down to rank {cutoff}" for cutoff, counts in ends.items())
        yield (
            f"{_subject(some, len(provenance.runs))}: unjudged documents, {counted} "
            "(judged_only=true leaves them out of a measure)"
        )


def _by_measure(counts: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(measure, its count for each run) from {run: {measure: count}}; or the same by cutoff."""
    for measure in dict.fromkeys(measure for of_run in counts.values() for measure in of_run):
        yield measure, tuple(of_run.get(measure, 0) for of_run in counts.values())


def _sentences(counts: Mapping[str, int], one: str, many: str, things: str = "runs") -> Iterator[str]:
    """A sentence for the runs that share a count, # standing for it; one for all when counts are many."""
    groups: dict[int, list[str]] = {}
    for run, count in counts.items():
        if count:
            groups.setdefault(count, []).append(run)
    runs_by_count = {_range([count]): runs for count, runs in groups.items()}
    if len(groups) > MOST_SENTENCES:
        runs_by_count = {_range(groups): [run for run, count in counts.items() if count]}
    for shown, runs in runs_by_count.items():
        subject = _subject(runs, len(counts), things)
        if things == "runs" and len(runs) > 1:  # the count is not that of all of them together
            subject = f"each of {subject.removeprefix('all ')}"
        yield f"{subject}: {one if shown == '1' else many.replace('#', shown)}"


def _range(counts: Collection[int]) -> str:
    """The counts as text: their number if they are all the same, otherwise the least and the most."""
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _subject(names: list[str], of: int, things: str = "runs") -> str:
    return f"all {of} {things}" if len(names) == of > 2 else _names(names)


def _names(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    listed = list(names)
    if len(listed) <= 4:
        return ", ".join(listed)
    return f"{', '.join(listed[:3])} and {len(listed) - 3} more"
