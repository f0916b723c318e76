"""Sets and counts, from the contingency table of Manning, Raghavan & Schütze, chapter 8."""

from twins.ranked import is_relevant, precision, recall, recall_base


def table(ranking, judgments, cutoff, rel):
    """(relevant retrieved, others retrieved, relevant not retrieved)."""
    both = others = 0
    for doc in ranking[:cutoff]:
        if is_relevant(doc, judgments, rel):
            both += 1
        else:
            others += 1
    return both, others, recall_base(judgments, rel) - both


def number_of_topics(ranking, judgments, cutoff=None):
    return 1


def retrieved(ranking, judgments, cutoff=None):
    return len(ranking)


def relevant(ranking, judgments, cutoff=None, rel=1):
    return recall_base(judgments, rel)


def relevant_retrieved(ranking, judgments, cutoff=None, rel=1):
    return table(ranking, judgments, cutoff, rel)[0]


def set_average_precision(ranking, judgments, cutoff=None, rel=1):
    """Precision times recall; undefined where one of them is."""
    both = precision(ranking, judgments, cutoff, rel), recall(ranking, judgments, cutoff, rel)
    return None if None in both else both[0] * both[1]


def fallout(ranking, judgments, docs, cutoff=None, rel=1):
    """Non-relevant documents retrieved over non-relevant documents in the collection."""
    others = docs - recall_base(judgments, rel)
    return table(ranking, judgments, cutoff, rel)[1] / others


def utility(ranking, judgments, cutoff=None, rel=1, a=1, b=-1, c=0, d=0, docs=None):
    """The cells of the table, each times its worth."""
    both, others, missed = table(ranking, judgments, cutoff, rel)
    left = 0 if docs is None else docs - both - others - missed
    return a * both + b * others + c * missed + d * left


def correctly_empty(ranking, judgments, cutoff=None, rel=1):
    return int(len(ranking) == 0 and recall_base(judgments, rel) == 0)


def wrongly_answered(ranking, judgments, cutoff=None, rel=1):
    return int(len(ranking) > 0 and recall_base(judgments, rel) == 0)


def wrongly_empty(ranking, judgments, cutoff=None, rel=1):
    return int(len(ranking) == 0 and recall_base(judgments, rel) > 0)
