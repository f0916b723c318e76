"""How scores were made: the record that results carry, and what it has to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rankgauge.order import DUPLICATES, TIES
from rankgauge.topics import MISSING, UNDEFINED

MOST_SENTENCES = 3  # of one kind; where more runs differ, one sentence speaks of all


@dataclass(frozen=True)
class How:
    """Versions, options, definitions and counts behind a set of scores."""

    versions: Mapping[str, str] = field(default_factory=dict)  # rankgauge, core, numpy, python
    options: Mapping[str, str] = field(default_factory=dict)  # those of rankgauge.order and rankgauge.topics
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # title, formula, cite, ...
    qrels: Mapping[str, Any] = field(default_factory=dict)  # source, topics, judgments, duplicates_dropped
    # for each run: source, topics, retrieved, missing, unjudged_topics, tied_topics, tied_documents,
    # decisive_ties, duplicates_dropped, and undefined: {measure: topics}. Ties are those that hold a document
    # which can make a difference to the measures at hand.
    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The record as plain dicts, as JSON takes it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> How:
        """The record that `as_dict` gave."""
        return cls(**record)

    def notes(self) -> list[str]:
        """What a reader of the scores should know: what is missing, left out, undefined or tied."""
        return [
            *self._missing(),
            *self._unjudged(),
            *self._duplicates(),
            *self._undefined(),
            *self._ties(),
        ]

    def _counts(self, name: str) -> dict[str, int]:
        return {run: facts.get(name, 0) for run, facts in self.runs.items()}

    def _missing(self) -> Iterator[str]:
        if self.options.get("missing", MISSING.default) == "skip":
            one, many = "is left out (missing=zero counts it)", "are left out (missing=zero counts them)"
        else:
            one, many = "scores 0 (missing=skip leaves it out)", "score 0 (missing=skip leaves them out)"
        return _sentences(
            self._counts("missing"),
            f"1 judged topic has no results and {one}",
            f"# judged topics have no results and {many}",
        )

    def _unjudged(self) -> Iterator[str]:
        return _sentences(
            self._counts("unjudged_topics"),
            "1 topic has no judgments and is left out",
            "# topics have no judgments and are left out",
        )

    def _duplicates(self) -> Iterator[str]:
        rule = self.options.get("duplicates", DUPLICATES.default)
        return _sentences(
            {"the judgments": self.qrels.get("duplicates_dropped", 0), **self._counts("duplicates_dropped")},
            f"1 duplicate of a document was left out (duplicates={rule})",
            f"# duplicates of documents were left out (duplicates={rule})",
        )

    def _undefined(self) -> Iterator[str]:
        concerned: dict[tuple[str, tuple[int, ...]], list[str]] = {}  # measures undefined equally often
        for measure in dict.fromkeys(m for facts in self.runs.values() for m in facts.get("undefined", ())):
            counts = tuple(facts.get("undefined", {}).get(measure, 0) for facts in self.runs.values())
            concerned.setdefault((self._effect(measure), counts), []).append(measure)
        for (effect, counts), measures in concerned.items():
            said = f"{_names(measures)} undefined for"
            yield from _sentences(
                dict(zip(self.runs, counts, strict=True)),
                f"{said} 1 topic and {effect}",
                f"{said} # topics and {effect}",
            )

    def _effect(self, measure: str) -> str:
        """What becomes of a measure's undefined values."""
        record = self.measures.get(measure, {})
        if record.get("average") == "micro":
            return "without effect on the micro average"
        if record.get("direction", 1) < 0:
            return "left out of the mean (0 would be the best value)"
        if self.options.get("undefined", UNDEFINED.default) == "skip":
            return "left out of the mean (undefined=zero counts it as 0)"
        return "counted as 0 in the mean (undefined=skip leaves it out)"

    def _ties(self) -> Iterator[str]:
        rule = self.options.get("ties", TIES.default)
        return _sentences(
            self._counts("decisive_ties"),
            f"1 tie could change a score (decided by ties={rule})",
            f"# ties could change a score (decided by ties={rule})",
        )


def _sentences(counts: Mapping[str, int], one: str, many: str) -> Iterator[str]:
    """A sentence for the runs that share a count, # standing for it; one for all when counts are many."""
    groups: dict[int, list[str]] = {}
    for run, count in counts.items():
        if count:
            groups.setdefault(count, []).append(run)
    said = {str(count): runs for count, runs in groups.items()}
    if len(groups) > MOST_SENTENCES:
        said = {f"{min(groups)} to {max(groups)}": [run for run, count in counts.items() if count]}
    for count_said, runs in said.items():
        subject = f"all {len(runs)} runs" if len(runs) == len(counts) > 2 else _names(runs)
        yield f"{subject}: {one if count_said == '1' else many.replace('#', count_said)}"


def _names(names: list[str]) -> str:
    """A few names, and how many there are beside them."""
    if len(names) <= 4:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more"
