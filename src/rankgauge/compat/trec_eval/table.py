"""trec_eval's measures in the order in which it prints them, with their parameters and descriptions.

Our measures declare their trec_eval names themselves (`trec=`); this table adds what only the command has:
the order, the defaults, and what is printed per topic and in the summary.
"""

from __future__ import annotations

import textwrap

from rankgauge.errors import OptionError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import Services

QRELS, GROUPS, PREFS = "qrels", "qrels_jg", "prefs"  # the judgments that measures need
ANY = "any"

CUTOFFS = "5,10,15,20,30,100,200,500,1000"
RECALLS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"


class WrongJudgments(OptionError):
    """A measure that cannot be computed from judgments of this kind (exit code 4, as in trec_eval)."""


class Entry(Frozen):
    """One of trec_eval's measures."""

    name: str
    takes: str = ""  # cutoffs and levels: one column each; numbers and pairs: one column for all of them
    default: str = ""  # the default cutoffs or levels
    count: bool = False  # printed without decimals and summed over topics
    shown: str = "both"  # for each topic, in the summary, or both
    source: str = QRELS
    since: int = 9  # version of trec_eval


MEASURES = {
    entry.name: entry
    for entry in (
        Entry("runid", shown="summary", source=ANY),
        Entry("num_q", count=True, shown="summary", source=ANY),
        Entry("num_ret", count=True),
        Entry("num_rel", count=True),
        Entry("num_rel_ret", count=True),
        Entry("map"),
        Entry("gm_map", shown="summary"),
        Entry("Rprec"),
        Entry("bpref"),
        Entry("recip_rank"),
        Entry("iprec_at_recall", "levels", RECALLS),
        Entry("P", "cutoffs", CUTOFFS),
        Entry("relstring", "numbers", shown="topics"),
        Entry("recall", "cutoffs", CUTOFFS),
        Entry("infAP"),
        Entry("gm_bpref", shown="summary"),
        Entry("Rprec_mult", "levels", MULTIPLES),
        Entry("utility", "numbers"),
        Entry("11pt_avg", "numbers"),
        Entry("binG"),
        Entry("G", "pairs"),
        Entry("dcg", "pairs", since=10),
        Entry("ideal_dcg", "pairs", since=10),
        Entry("ndcg", "pairs"),
        Entry("ndcg_rel", "pairs"),
        Entry("Rndcg", "pairs"),
        Entry("ndcg_cut", "cutoffs", CUTOFFS),
        Entry("map_cut", "cutoffs", CUTOFFS),
        Entry("relative_P", "cutoffs", CUTOFFS),
        Entry("success", "cutoffs", "1,5,10"),
        Entry("set_P"),
        Entry("set_relative_P"),
        Entry("set_recall"),
        Entry("set_map"),
        Entry("set_F", "numbers"),
        Entry("num_nonrel_judged_ret", count=True),
        Entry("prefs_num_prefs_poss", count=True, source=PREFS),
        Entry("prefs_num_prefs_ful", count=True, source=PREFS),
        Entry("prefs_num_prefs_ful_ret", count=True, source=PREFS),
        Entry("prefs_simp", source=PREFS),
        Entry("prefs_pair", source=PREFS),
        Entry("prefs_avgjg", source=PREFS),
        Entry("prefs_avgjg_Rnonrel", source=PREFS),
        Entry("prefs_simp_ret", source=PREFS),
        Entry("prefs_pair_ret", source=PREFS),
        Entry("prefs_avgjg_ret", source=PREFS),
        Entry("prefs_avgjg_Rnonrel_ret", source=PREFS),
        Entry("prefs_simp_imp", source=PREFS),
        Entry("prefs_pair_imp", source=PREFS),
        Entry("prefs_avgjg_imp", source=PREFS),
        Entry("map_avgjg", source=GROUPS),
        Entry("P_avgjg", "cutoffs", CUTOFFS, source=GROUPS),
        Entry("Rprec_mult_avgjg", "levels", MULTIPLES, source=GROUPS),
        Entry("yaap"),
        Entry("rbp", "pairs", since=10),
        Entry("rbp_resid", "pairs", since=10),
        Entry("unj", "cutoffs", "5,10,20", since=10),
    )
}

_COUNTS = "runid num_q num_ret num_rel num_rel_ret"
_OFFICIAL = f"{_COUNTS} map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "set_P set_recall set_relative_P set_map set_F"
_PREFS = [name for name, entry in MEASURES.items() if entry.source == PREFS]
NICKNAMES = {
    "official": _OFFICIAL.split(),
    "set": f"{_COUNTS} utility {_SET}".split(),
    "all_trec": [
        name
        for name, entry in MEASURES.items()
        if entry.source in (QRELS, ANY) and name not in ("yaap", "dcg", "ideal_dcg")
    ],
    "all_prefs": ["runid", "num_q", *_PREFS],
    "prefs": ["runid", "num_q", *_PREFS[:6]],
    "qrels_jg": ["runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"],
}
DEFAULT = "official"


# Readers of judgments, by the words of -R: (options, columns) -> values of the columns. Extensions add some.
JUDGMENTS = Services(
    "trec_eval", "form of judgments", {"qrels": "rankgauge.compat.trec_eval.arrays:from_qrels"}
)


def known(rules: int) -> dict[str, Entry]:
    """The measures of a version of trec_eval."""
    return {name: entry for name, entry in MEASURES.items() if entry.since <= rules}


TEXTS = {
    "runid": "The name of the run, from the last line of its file.",
    "num_q": "The number of topics evaluated.",
    "relstring": "The grades of the first N documents, one character each: the grade up to 9, > above that, "
    ". for a negative grade, - for an unjudged document. Default: relstring.10",
}


def describe(name: str) -> str:
    """The description of one of trec_eval's measures."""
    entry = MEASURES[name]
    if name in TEXTS:
        text = TEXTS[name]
    elif entry.source == PREFS:
        text = f"{JUDGMENTS.load('title')(name)} (-R prefs or -R qrels_prefs)."
    else:
        from rankgauge.measures import parse

        cutoff = entry.default.split(",")[-1]
        base = name.removesuffix("_avgjg")
        measure = parse(f"{base}_{cutoff}" if cutoff else base)
        over = ", the mean over judgment groups (-R qrels_jg)" if base != name else ""
        text = f"{measure.spec.title}{over}: {measure.spec.formula}\n{measure.spec.help}"
    default = f"\nDefault: {name}.{entry.default}" if entry.default else ""
    return "\n".join(
        textwrap.fill(line, 100, initial_indent="    ", subsequent_indent="    ")
        for line in f"{text}{default}".splitlines()
        if line
    )
