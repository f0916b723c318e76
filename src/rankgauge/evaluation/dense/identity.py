"""What counts of parts of one corpus have in common, as short texts that can be compared and sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.evaluation.dense.pairs import Exclusions, Pairs
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.qrels import Qrels
from rankgauge.schema.text import joined

# Rules that decide what is counted; the others say how counts are evaluated.
COUNTED_BY = ("ties", "score_precision")


def identity_of(
    evaluator: Evaluator, pairs: Pairs, score: Floats, excluded: Exclusions, source: str, depth: int | None
) -> dict[str, str]:
    """{what parts have in common: a text that differs if it does}."""
    rules = evaluator.order.as_dict()
    return {
        "judgments": of_judgments(evaluator.qrels),
        "measures": " ".join(map(str, evaluator.measures)),
        "rules": ", ".join(f"{name}={rules[name]}" for name in COUNTED_BY),
        "queries": _digest([pairs.searched, np.array([pairs.unjudged_topics])]),
        "judged vectors": _digest([pairs.judgment, score]),
        "similarities": source,
        "depths": str(depth),
        "exclusions": _of_exclusions(excluded),
    }


def of_judgments(qrels: Qrels) -> str:
    """A digest of topics, their judged documents and their grades."""
    topics, docs = qrels.sorted_topic_ids, qrels.sorted_docs
    columns = (topics.data, topics.offsets, qrels.starts, docs.data, docs.offsets)
    return _digest([*columns, qrels.sorted_grades, qrels.sorted_kinds])


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """In what two identities differ, as a sentence lists it; '' if they do not."""
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return joined(names) if names else ""


def _of_exclusions(excluded: Exclusions) -> str:
    if not len(excluded):
        return ""
    documents = excluded.documents.take(excluded.document).texts()
    pairs = sorted(zip(documents, excluded.query.tolist(), strict=True))
    docs = Ids.of(doc for doc, _ in pairs)
    return _digest([docs.data, docs.offsets, np.array([row for _, row in pairs])])


def _digest(columns: Iterable[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for column in columns:
        data = column if isinstance(column, np.ndarray) else np.frombuffer(column, dtype=np.uint8)
        little = data.astype(data.dtype.newbyteorder("<"), copy=False)  # the same text on every machine
        digest.update(len(data).to_bytes(8, "little") + little.tobytes())
    return digest.hexdigest()
