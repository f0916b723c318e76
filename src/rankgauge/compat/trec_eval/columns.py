"""trec_eval's measures in its order, and the columns of its output that options and `-m` name."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rankgauge.errors import MeasureError, OptionError
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import Services
from rankgauge.schema.text import nearest

QRELS, GROUPS, PREFS = "qrels", "qrels_jg", "prefs"  # the judgments that measures need
ANY = "any"

CUTOFFS = "5,10,15,20,30,100,200,500,1000"
RECALLS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"


class WrongJudgments(OptionError):
    """A measure that these judgments do not allow (exit code 4)."""


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


class Settings(Frozen):
    """The options that change how measures are defined."""

    level: int = 1  # -l
    judged_only: bool = False  # -J
    docs: int | None = None  # -N
    rules: int = 10


class Options(Settings):
    """The options of a command line, each by its name."""

    qrels: str  # type: ignore[misc]  # follows fields with defaults
    run: str  # type: ignore[misc]
    measures: Sequence[str] = (DEFAULT,)
    per_topic: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    depth: int | None = None  # -M
    rel_format: str = "qrels"  # -R
    norms: str | None = None  # -Z
    topic: str | None = None  # -D n.TOPIC

    @property
    def order(self) -> DocumentOrder:
        """The order of documents."""
        return DocumentOrder(score_precision="single" if self.rules == 9 else "double")

    @property
    def needs_results(self) -> bool:
        """Whether a run without any judged topic is an error; version 10 counts them all as 0 with -c."""
        return self.rules == 9 or not self.complete


N = TypeVar("N", int, float)


class ParameterError(MeasureError):
    """Parameters that a measure does not take (exit code 2)."""


class Column(Frozen, eq=False):
    """One line of the output, per topic and in the summary."""

    entry: Entry
    label: str  # as printed
    parameters: tuple[float, ...] = ()  # a cutoff, a level, or all numbers
    pairs: tuple[tuple[str, float], ...] = ()


def requested(texts: Iterable[str], rules: int) -> tuple[list[Column], list[str]]:
    """(columns in trec_eval's order, notes) for the texts of all `-m`."""
    by_measure: dict[str, list[str]] = {}  # the lists of parameters of each measure; empty: the defaults
    for text in texts:
        for name, parameters in _named(text, rules):
            lists = by_measure.setdefault(name, [])
            if parameters is not None:
                lists.append(parameters)
    columns, notes = [], []
    for name, entry in known(rules).items():
        if name not in by_measure:
            continue
        lists = list(dict.fromkeys(by_measure[name]))
        columns += _columns(entry, lists)
        if len(lists) > 1:
            shown = " ".join(f"{name}.{parameters}" for parameters in lists)
            notes.append(f"{shown} are all evaluated; trec_eval evaluates only the first")
    notes += (
        f"{column.label}: the ideal ranking is sorted by gain; trec_eval treats gains that differ by less "
        "than 1 as equal, and may print another value"
        for column in columns
        if any(value % 1 for name, value in column.pairs if name != "p")
    )
    return columns, notes


def _named(text: str, rules: int) -> Iterator[tuple[str, str | None]]:
    name, dot, parameters = text.partition(".")
    measures = known(rules)
    if name in NICKNAMES:
        if dot:
            raise MeasureError(f"{name} is a set of measures and takes no parameters, as in {text!r}")
        yield from ((member, None) for member in NICKNAMES[name] if member in measures)
        return
    if name not in measures:
        if name in MEASURES:
            raise MeasureError(f"{name} is new in version 10 of trec_eval; leave out --rules 9 to use it")
        raise MeasureError(
            f"trec_eval has no measure {name!r}{nearest(name, [*measures, *NICKNAMES])}; "
            f"it has {', '.join([*NICKNAMES, *measures])}"
        )
    if not dot:
        yield name, None
        return
    entry = measures[name]
    if not entry.takes:
        raise ParameterError(f"{name} takes no parameters; leave .{parameters} out")
    if not parameters:
        raise ParameterError(f"no parameters after the dot of {text!r}; write {_example(entry)}")
    yield name, parameters


def _columns(entry: Entry, lists: list[str]) -> list[Column]:
    if entry.takes == "cutoffs":
        cutoffs = {k for text in lists or [entry.default] for k in _cutoffs(entry, text)}
        return [Column(entry, f"{entry.name}_{k}", (k,)) for k in sorted(cutoffs)]
    if entry.takes == "levels":
        levels = {x for text in lists or [entry.default] for x in _numbers(entry, text, unique=True)}
        return [Column(entry, f"{entry.name}_{x:3.2f}", (x,)) for x in sorted(levels)]
    if not lists:
        return [Column(entry, entry.name)]
    if entry.takes == "numbers":
        return [Column(entry, f"{entry.name}_{text}", _numbers(entry, text)) for text in lists]
    return [Column(entry, f"{entry.name}_{text}", pairs=tuple(_pairs(entry, text))) for text in lists]


def _cutoffs(entry: Entry, text: str) -> Sequence[int]:
    """Ranks; trec_eval reads 23.4 as 23."""
    cutoffs: list[int] = []
    for part in text.split(","):
        number = re.fullmatch(r"\s*\+?(0*[1-9][0-9]{0,8})(\.[0-9]*)?\s*", part)
        if not number:
            raise ParameterError(
                f"{entry.name}: a cutoff is a whole number from 1 to {10**9 - 1}, not {part!r}; "
                f"write {_example(entry)}"
            )
        cutoffs.append(int(number[1]))
    return _each_once(entry, text, cutoffs)


def _numbers(entry: Entry, text: str, unique: bool = False) -> tuple[float, ...]:
    numbers = [_number(entry, part) for part in text.split(",")]
    return tuple(_each_once(entry, text, numbers) if unique else numbers)


def _each_once(entry: Entry, text: str, numbers: list[N]) -> list[N]:
    if len(set(numbers)) < len(numbers):
        raise ParameterError(f"{entry.name}: {text!r} repeats a number; write each once")
    return numbers


def _pairs(entry: Entry, text: str) -> Iterator[tuple[str, float]]:
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not (name.strip() and equals):
            raise ParameterError(
                f"{entry.name}: parameters are pairs such as 1=3 (the gain of a grade), not {part!r}; "
                f"write {_example(entry)}"
            )
        yield name.strip(), _number(entry, value)


def _number(entry: Entry, text: str) -> float:
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{entry.name}: {text!r} is not a finite number; write {_example(entry)}")
    return number


def _example(entry: Entry) -> str:
    examples = {
        "relstring": "relstring.20",
        "utility": "utility.1,-1,0,0",
        "11pt_avg": "11pt_avg.0,.5,1",
        "set_F": "set_F.0.5",
        "rbp": "rbp.p=0.9",
        "rbp_resid": "rbp_resid.p=0.9",
    }
    other = f"{entry.name}.1=3,2=9" if entry.takes == "pairs" else f"{entry.name}.{entry.default}"
    return examples.get(entry.name, other)
