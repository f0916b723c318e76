"""How scores were made: the record that results carry. What it has to tell is in `rankgauge.model.notes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankgauge.schema.frozen import Frozen

NOTHING: Mapping[str, Any] = {}


class Provenance(Frozen):
    """Versions, options, definitions and counts behind a set of scores."""

    versions: Mapping[str, str] = NOTHING  # rankgauge, core, numpy, python
    options: Mapping[str, str] = (
        NOTHING  # those of rankgauge.model.document_order and rankgauge.model.topic_rules
    )
    # for each measure: title, formula, cite, direction; where there is any, a caution; how many topics have
    # fewer relevant documents than its base (small_base), or more than its cutoff can hold (out_of_reach);
    # where it fills lists up, to how many documents (N), whether those of the longest list (longest), and how
    # many topics have more than half as many relevant ones (short)
    measures: Mapping[str, Mapping[str, Any]] = NOTHING
    qrels: Mapping[str, Any] = NOTHING  # source, topics, judgments, duplicates_dropped
    # for each run: source, topics, retrieved, missing, unjudged_topics, tied_topics, tied_documents,
    # decisive_ties, duplicates_dropped, undefined: {measure: topics}, and, if a measure looks at all that is
    # judged, unjudged: {cutoff: documents}; if values took random orders of tied documents, random_orders:
    # topics: {measure: topics}, orders, seed; if it beats an ideal ranking, above_ideal: {measure: topics}.
    # Ties are those that hold a document which can make a difference to the measures at hand.
    runs: Mapping[str, Mapping[str, Any]] = NOTHING

    def as_dict(self) -> dict[str, Any]:
        """The record as plain dicts, as JSON takes it."""
        from copy import deepcopy

        return deepcopy(self._asdict())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Provenance:
        """The record that `as_dict` gave."""
        return cls(**record)
