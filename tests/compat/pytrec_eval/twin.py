"""pytrec_eval's measures once more, slowly, from their definitions in trec_eval 9."""

import math
import struct


def single(score):
    """A score as trec_eval 9 stores it."""
    return struct.unpack("f", struct.pack("f", score))[0]


def ranked(results):
    """The documents, best first; equal scores by document, descending."""
    return sorted(results, key=lambda doc: (single(results[doc]), doc.encode()), reverse=True)


def values(judged, results, cutoffs, level=1):
    """{key: value} of one topic."""
    docs = ranked(results)
    grades = [judged.get(doc, 0) for doc in docs]
    relevant = [grade >= level for grade in grades]
    base = sum(grade >= level for grade in judged.values())
    precisions = [sum(relevant[: n + 1]) / (n + 1) for n in range(len(docs))]

    def dcg(gains):
        return sum(gain / math.log2(n + 2) for n, gain in enumerate(gains) if gain > 0)

    def over(value, under):
        return value / under if under else 0.0

    best = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
    found = {
        "num_ret": float(len(docs)),
        "num_rel": float(base),
        "num_rel_ret": float(sum(relevant)),
        "map": over(sum(p for p, r in zip(precisions, relevant, strict=True) if r), base),
        "recip_rank": next((1 / (n + 1) for n, r in enumerate(relevant) if r), 0.0),
        "Rprec": over(sum(relevant[:base]), base),
        "ndcg": over(dcg(grades), dcg(best)),
    }
    for k in cutoffs:
        cut = [p for p, r in zip(precisions[:k], relevant[:k], strict=True) if r]
        found |= {
            f"P_{k}": sum(relevant[:k]) / k,
            f"recall_{k}": over(sum(relevant[:k]), base),
            f"map_cut_{k}": over(sum(cut), base),
            f"ndcg_cut_{k}": over(dcg(grades[:k]), dcg(best[:k])),
            f"success_{k}": float(any(relevant[:k])),
        }
    return found
