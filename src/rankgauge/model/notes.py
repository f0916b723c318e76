"""What a reader of scores should know, as sentences made from the record of how they came about.

Facts are what happened to the data: topics that are missing, values that are undefined, ties. Advice is
what the papers behind the measures say about reading them. Neither ever changes a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from rankgauge.model.document_order import DUPLICATES, OVER_ORDERS, TIES
from rankgauge.model.topic_rules import MISSING, UNDEFINED

if TYPE_CHECKING:
    from rankgauge.model.provenance import Provenance

FEW_TOPICS = 25  # Järvelin & Kekäläinen 2002 call 20 topics "rather small to provide reliable results"
MOST_SENTENCES = 3  # of one kind; where more runs differ, one sentence speaks of all


def facts(provenance: Provenance) -> tuple[str, ...]:
    """What is missing, left out, undefined or tied."""
    return (
        *_missing(provenance),
        *_without_judgments(provenance),
        *_duplicates(provenance),
        *_undefined(provenance),
        *_ties(provenance),
        *_random_orders(provenance),
        *_lengths(provenance),
        *_above_ideal(provenance),
    )


def advice(provenance: Provenance) -> tuple[str, ...]:
    """What to be careful about."""
    return (
        *_few_topics(provenance),
        *_cautions(provenance),
        *_small_bases(provenance),
        *_out_of_reach(provenance),
        *_unjudged(provenance),
    )


def _missing(provenance: Provenance) -> Iterator[str]:
    if provenance.options.get("missing", MISSING.default) == "skip":
        one, many = "is left out (missing=zero counts it)", "are left out (missing=zero counts them)"
    else:
        one, many = "scores 0 (missing=skip leaves it out)", "score 0 (missing=skip leaves them out)"
    return _sentences(
        _counts(provenance, "missing"),
        f"1 judged topic has no results and {one}",
        f"# judged topics have no results and {many}",
    )


def _without_judgments(provenance: Provenance) -> Iterator[str]:
    return _sentences(
        _counts(provenance, "unjudged_topics"),
        "1 topic has no judgments and is left out",
        "# topics have no judgments and are left out",
    )


def _duplicates(provenance: Provenance) -> Iterator[str]:
    rule = provenance.options.get("duplicates", DUPLICATES.default)
    return _sentences(
        {
            "the judgments": provenance.qrels.get("duplicates_dropped", 0),
            **_counts(provenance, "duplicates_dropped"),
        },
        f"1 duplicate of a document was left out (duplicates={rule})",
        f"# duplicates of documents were left out (duplicates={rule})",
    )


def _undefined(provenance: Provenance) -> Iterator[str]:
    concerned: dict[tuple[str, tuple[int, ...]], list[str]] = {}  # measures undefined equally often
    for measure in dict.fromkeys(m for facts in provenance.runs.values() for m in facts.get("undefined", ())):
        counts = tuple(facts.get("undefined", {}).get(measure, 0) for facts in provenance.runs.values())
        concerned.setdefault((_effect(provenance, measure), counts), []).append(measure)
    for (effect, counts), measures in concerned.items():
        said = f"{_names(measures)} undefined for"
        yield from _sentences(
            dict(zip(provenance.runs, counts, strict=True)),
            f"{said} 1 topic and {effect}",
            f"{said} # topics and {effect}",
        )


def _effect(provenance: Provenance, measure: str) -> str:
    """What becomes of a measure's undefined values."""
    record = provenance.measures.get(measure, {})
    if record.get("average") == "micro":
        return "without effect on the micro average"
    if record.get("direction", 1) < 0:
        return "left out of the mean (0 would be the best value)"
    if provenance.options.get("undefined", UNDEFINED.default) == "skip":
        return "left out of the mean (undefined=zero counts it as 0)"
    return "counted as 0 in the mean (undefined=skip leaves it out)"


def _ties(provenance: Provenance) -> Iterator[str]:
    rule = provenance.options.get("ties", TIES.default)
    effect = f"all orders count: ties={rule}" if rule in OVER_ORDERS else f"decided by ties={rule}"
    return _sentences(
        _counts(provenance, "decisive_ties"),
        f"1 tie could change a score ({effect})",
        f"# ties could change a score ({effect})",
    )


def _random_orders(provenance: Provenance) -> Iterator[str]:
    taken = {run: facts.get("random_orders", {"topics": {}}) for run, facts in provenance.runs.items()}
    concerned: dict[tuple[int, ...], list[str]] = {}  # measures that took them equally often
    for measure in dict.fromkeys(m for record in taken.values() for m in record["topics"]):
        counts = tuple(record["topics"].get(measure, 0) for record in taken.values())
        concerned.setdefault(counts, []).append(measure)
    for counts, measures in concerned.items():
        record = next(record for record in taken.values() if record["topics"])
        said = f"{record['orders']} random orders of tied documents (seed {record['seed']})"
        yield from _sentences(
            dict(zip(provenance.runs, counts, strict=True)),
            f"{_names(measures)} over {said} for 1 topic, which has too many to look at all",
            f"{_names(measures)} over {said} for # topics, which have too many to look at all",
        )


def _lengths(provenance: Provenance) -> Iterator[str]:
    """To how many documents lists are cut or filled up, and where that is too few."""
    filled = {measure: record for measure, record in provenance.measures.items() if "N" in record}
    said: dict[tuple[int, bool], list[str]] = {}
    for measure, record in filled.items():
        said.setdefault((record["N"], record.get("longest", False)), []).append(measure)
    for (length, longest), measures in said.items():
        why = ", as many as the longest has (N= sets another number)" if longest else ""
        yield f"{_names(measures)}: lists are cut or filled up to N={length} documents{why}"
    for words, effect in (
        ("domain=strict", "undefined"),
        ("", "followed by non-relevant documents to twice as many (domain=strict: undefined)"),
    ):
        yield from _sentences(
            {m: r.get("short", 0) for m, r in filled.items() if ("domain=strict" in m) == bool(words)},
            f"1 topic has more relevant documents than half of N and is {effect}",
            f"# topics have more relevant documents than half of N and are {effect}",
            "measures",
        )


def of_comparison(
    *, topics: int, pairs: int, corrected: bool, alpha: float, marginal: tuple[str, ...]
) -> tuple[str, ...]:
    """What to be careful about when runs are compared; `marginal` names pairs that differ, but by little."""
    said = list(_few(topics))
    if pairs > 1 and not corrected:
        said.append(
            f"{pairs} pairs without correction: if no runs differed, about {pairs * alpha:.1f} would seem to "
            "(correction=holm)"
        )
    if marginal:
        verb = "differs" if len(marginal) == 1 else "differ"
        said.append(f"{_names(marginal)} {verb} significantly, by less than 5 %, which is marginal")
    return tuple(said)


def _above_ideal(provenance: Provenance) -> Iterator[str]:
    beaten = {run: facts.get("above_ideal", {}) for run, facts in provenance.runs.items()}
    for measure in dict.fromkeys(m for record in beaten.values() for m in record):
        said = f"{measure} beats the greedy ideal ranking and is credited with 1 for"
        yield from _sentences(
            {run: record.get(measure, 0) for run, record in beaten.items()},
            f"{said} 1 topic (ideal=unclipped shows by how much)",
            f"{said} # topics (ideal=unclipped shows by how much)",
        )


def _few_topics(provenance: Provenance) -> Iterator[str]:
    return _few(provenance.qrels.get("topics", FEW_TOPICS))


def _few(topics: int) -> Iterator[str]:
    if topics < FEW_TOPICS:
        said = "1 topic is" if topics == 1 else f"{topics} topics are"
        yield f"{said} few: differences between means may well be chance ({FEW_TOPICS} or more are better)"


def _cautions(provenance: Provenance) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for measure, record in provenance.measures.items():
        if "caution" in record:
            said.setdefault(record["caution"], []).append(measure)
    for caution, measures in said.items():
        yield f"{_names(measures)}: {caution}"


def _small_bases(provenance: Provenance) -> Iterator[str]:
    return _sentences(
        _concerned(provenance, "small_base"),
        "1 topic has fewer relevant documents than the base, before which coming late costs nothing",
        "# topics have fewer relevant documents than the base, before which coming late costs nothing",
        "measures",
    )


def _out_of_reach(provenance: Provenance) -> Iterator[str]:
    return _sentences(
        _concerned(provenance, "out_of_reach"),
        "1 topic has more relevant documents than the cutoff: no ranking can reach 1 there",
        "# topics have more relevant documents than the cutoff: no ranking can reach 1 there",
        "measures",
    )


def _unjudged(provenance: Provenance) -> Iterator[str]:
    cutoffs = dict.fromkeys(cutoff for run in provenance.runs.values() for cutoff in run.get("unjudged", ()))
    for cutoff in cutoffs:
        counts = {run: facts.get("unjudged", {}).get(cutoff, 0) for run, facts in provenance.runs.items()}
        yield from _sentences(
            counts,
            f"1 document down to rank {cutoff} is unjudged",
            f"# documents down to rank {cutoff} are unjudged",
        )


def _counts(provenance: Provenance, name: str) -> dict[str, int]:
    return {run: facts.get(name, 0) for run, facts in provenance.runs.items()}


def _concerned(provenance: Provenance, name: str) -> dict[str, int]:
    return {measure: record.get(name, 0) for measure, record in provenance.measures.items()}


def _sentences(counts: Mapping[str, int], one: str, many: str, things: str = "runs") -> Iterator[str]:
    """A sentence for the runs that share a count, # standing for it; one for all when counts are many."""
    groups: dict[int, list[str]] = {}
    for run, count in counts.items():
        if count:
            groups.setdefault(count, []).append(run)
    said = {str(count): runs for count, runs in groups.items()}
    if len(groups) > MOST_SENTENCES:
        said = {f"{min(groups)} to {max(groups)}": [run for run, count in counts.items() if count]}
    for count_said, runs in said.items():
        subject = f"all {len(runs)} {things}" if len(runs) == len(counts) > 2 else _names(runs)
        yield f"{subject}: {one if count_said == '1' else many.replace('#', count_said)}"


def _names(names: Iterable[str]) -> str:
    """A few names, and how many there are beside them."""
    listed = list(names)
    if len(listed) <= 4:
        return ", ".join(listed)
    return f"{', '.join(listed[:3])} and {len(listed) - 3} more"
