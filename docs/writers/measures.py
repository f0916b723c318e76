"""The pages on measures and on the language they are written in."""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankgauge.figures import Figure

from rankgauge import curves, evaluate, explain, figures
from rankgauge.cli.measures import facts
from rankgauge.extensions.studies.simulation import examples
from rankgauge.measures import MEASURES, language, named_set, parse, set_names
from rankgauge.measures.interpolated import LEVELS
from rankgauge.measures.named_sets import TITLES
from rankgauge.measures.rankings import discounts, gains
from rankgauge.measures.spec import GRADE, JUDGED_ONLY, NEGATIVES, REL, Spec, average_parameter
from rankgauge.model.output.documents import Document, body
from rankgauge.model.output.markup import markdown
from rankgauge.model.output.tables import Table
from rankgauge.schema.options import AVERAGES
from writers.formulas import typeset
from writers.markup import code, codes, prose, table

FRAMEWORK = (REL, GRADE, JUDGED_ONLY, NEGATIVES, average_parameter(ratio=True))
UNCUT = {
    "ideal": "all documents retrieved, or as many as are judged if that is more",
    "endless": "all ranks, without end; below the last document retrieved, nothing has a gain",
}
FAMILIES = {"cwl": "C/W/L", "usermodels": "User models"}  # {module: title}, if it is not its name
SHOWN = ("What it is made of", "Rank by rank", "The same ranking")  # of an explanation
MAX_MEMBERS = 25  # of a set that are listed
COLUMNS = ("parameter", "default", "allowed", "meaning")
SPELLINGS = (
    "nDCG(gains=exp2)@10",
    "AP(judged_only=true, rel=2)@100",
    "DCG(gains={1: 1, 2: 10, 3: 100}, base=2)@100",
    "nDCG(discount=jk)@10",
    "ndcg_cut_10",
    "P.5",
    "map",
    "recip_rank",
    "MRR",
    "nDCG(dcg='exp-log2')@10",
    "P(cutoff=10, rel=2)",
    "gm_map",
    "iprec_at_recall_0.10",
    "IPrec@.1",
    "Rprec_mult_0.20",
    "utility_2,-1,0,0",
    "SetP(average=micro)",
    "IA(nDCG(gains=exp2)@10, judged_only=true)",
    "α-nDCG(alpha=0.25)@20",
    "D#-nDCG@10",
)


def families() -> dict[str, list[Spec]]:
    """{title of a family: its measures}."""
    by_family: dict[str, list[Spec]] = {}
    for spec in MEASURES.values():
        family = spec.family.rpartition(".")[2]
        by_family.setdefault(FAMILIES.get(family, family.capitalize()), []).append(spec)
    return by_family


def page_of(spec: Spec) -> str:
    """The page of a measure, as a link from the other pages of the reference."""
    return f"measures/{spec.name.lower()}.md"


def measures() -> Iterator[str]:
    """All measures, family by family, with links to their pages."""
    yield "# Measures\n"
    yield """Each has a page with its formula, parameters and names, and an example worked out rank by rank.
`rankgauge measures` lists them, and `rankgauge measures NAME` describes one. [The measure
language](language.md) explains how measures are written, and [names of measures](names.md) has their names
in other tools.
"""
    for family, specs in families().items():
        yield f"## {family}\n"
        yield prose(_about(specs[0]).split("\n\n")[0])
        yield table(("measure", "title"), ((f"[{spec.name}]({page_of(spec)})", spec.title) for spec in specs))


def _about(spec: Spec) -> str:
    """The docstring of a measure's family."""
    return inspect.getdoc(importlib.import_module(spec.family)) or ""


def measure(spec: Spec) -> Iterator[str]:
    """The page of one measure: formula, properties, parameters, and an example explained."""
    yield f"# {spec.name}\n"
    if spec.title != spec.name:
        yield f"**{spec.title}**\n"
    yield typeset(spec.formula)
    yield prose(spec.help)
    case = Case.of(spec)
    why = explain(case.qrels, case.run, spec.example, topic=case.topic)
    yield "## Example\n"
    yield f"{case.about}\n"
    yield f"`{spec.example}` = {why.value:.4f}\n"
    drawn = "at every rank" if spec.curve else "by the number of documents retrieved"
    yield f"![{spec.name} of the example, {drawn}]({spec.name.lower()}.svg)\n"
    shown = tuple(part for part in why.document().sections if part.title.startswith(SHOWN))
    yield from (*body(Document("", shown), form="markdown"), "")
    varies = spec.laws.varies
    default = spec.parameter(varies).default if varies else None
    varied = f" (with {varies}={spec.parameter(varies).kind.write(default)})" if default else ""
    known = facts(spec)
    known["range"] += varied
    if spec.curve and spec.uncut != "retrieved":
        known["cutoff"] += f"; without one, {UNCUT[spec.uncut]}"
    yield "## Properties\n"
    yield table(("property", "value"), ((name, markdown(fact)) for name, fact in known.items()))
    yield "## Parameters\n"
    rows = (
        (code(p.name), code(p.written_default) if p.written_default else "", p.kind.words, p.help)
        for p in spec.parameters
    )
    yield table(COLUMNS, rows)


@dataclass(frozen=True)
class Case:
    """The ranking behind the example of a measure."""

    about: str
    qrels: Mapping[str, Any]
    run: Mapping[str, Mapping[str, Mapping[str, float]]]  # {its name: {the topic: {document: score}}}
    topic: str

    @classmethod
    def of(cls, spec: Spec) -> "Case":
        """A ranking with grades, or with subtopics where the measure needs them."""
        if spec.needs.subtopics and not spec.needs.strata:
            return cls._of_subtopics()
        example = examples.load("jarvelin-2002")
        grades = example.qrels["1"]
        ranking = " ".join(str(grades[doc]) for doc in example.runs["G"]["1"])
        pool = " ".join(map(str, sorted(grades.values(), reverse=True)))
        about = f"""Ten documents with the grades `{ranking}`, in order of rank. The grades of all judged
documents are `{pool}`. (Source: {example.source}.)"""
        if not spec.needs.strata:
            return cls(about, example.qrels, {"G": example.runs["G"]}, "1")
        return cls(f"{about} All are in one stratum.", {"1": {"0": grades}}, {"G": example.runs["G"]}, "1")

    @classmethod
    def _of_subtopics(cls) -> "Case":
        example = examples.load("clarke-2008")
        subtopics = example.subtopics["85"]
        ranking = ", ".join(
            f"{doc}: {' '.join(name for name, judged in subtopics.items() if doc in judged) or 'none'}"
            for doc in example.runs["bm25"]["85"]
        )
        about = f"""Ten documents, which are relevant to these subtopics, in order of rank: `{ranking}`.
(Source: {example.source}.)"""
        return cls(about, example.subtopics, {"bm25": example.runs["bm25"]}, "85")

    def picture(self, spec: Spec) -> Figure:
        """The measure at every rank, or, if it has no cutoff, its values for the first documents alone."""
        if spec.curve:
            uncut = replace(parse(spec.example), cutoff=None)
            return figures.curve(curves(self.qrels, self.run, uncut), headed=False)
        ((name, topics),) = self.run.items()
        ranking = list(topics[self.topic].items())
        cut = {str(k): {self.topic: dict(ranking[:k])} for k in range(1, len(ranking) + 1)}
        values = evaluate(self.qrels, cut, spec.example).mean()
        rows = [(int(k), name, *by_measure.values()) for k, by_measure in values.items()]
        return figures.lines(Table(("documents", "run", spec.example), rows), headed=False)


def measure_language() -> Iterator[str]:
    """The grammar, examples with their canonical text, parameters, gains, discounts and sets."""
    yield "# The measure language\n"
    yield prose(language.__doc__)
    yield table(("input", "canonical text"), ((code(text), code(parse(text))) for text in SPELLINGS))
    yield "## Parameters of every measure\n"
    rows = (
        (code(p.name), code(p.written_default) if p.written_default else "none", p.kind.words, p.help)
        for p in FRAMEWORK
    )
    yield table(COLUMNS, rows)
    yield """Only binary measures have `rel` and `grade`. `P(rel=2)` counts documents of grade 2 and above,
`P(grade=2)` only those of grade 2. That holds for their gains, too: in `RBP(gains=linear)` a document of
grade 0.5 has no gain, in `RBP(gains=linear,rel=0.5)` it has. A cutoff is a whole number of at least 1;
`IPrec` takes a recall level after the @ instead.
"""
    yield "## Averages over topics\n"
    yield table(("average", "the values of all topics become"), ((code(n), s) for n, s in AVERAGES.items()))
    yield """The default is the mean, unless the measure defines another one: counts are added up. The text of
a measure includes the average only where it is not the default. Only ratios of counts have a micro average.
"""
    yield "## Recall levels\n"
    yield table(
        ("levels", "number of relevant documents that reach a level"),
        ((code(n), s) for n, s in LEVELS.items()),
    )
    yield "## Gains\n"
    grades, ranks = range(4), (1, 2, 3, 10)
    rows = (
        (code(name), meaning, *(f"{gains.Gains(name).worth(grade):g}" for grade in grades))
        for name, meaning in gains.SCHEMES.items()
    )
    yield table(("gains", "gain of a grade", *(f"grade {grade}" for grade in grades)), rows)
    yield """A map sets the gain of each grade: `gains={1:1,2:10,3:100}`. It is an error if the judgments
contain a positive grade that the map lacks. Grades of 0 and below have gain 0 unless they are in the map.
"""
    yield "## Discounts\n"
    rows = (
        (code(name), meaning, *(f"{discounts.Discount(name).one(rank):.3f}" for rank in ranks))
        for name, meaning in discounts.DISCOUNTS.items()
    )
    yield table(("discount", "divisor of a gain", *(f"rank {rank}" for rank in ranks)), rows)
    yield "`base=b` alone means `discount=jk` with that base; `discount=jk` alone has base 2.\n"
    yield "## Named sets\n"
    yield table(
        ("set", "what it is", "measures"),
        ((code(name), TITLES.get(name, ""), _members(name)) for name in set_names()),
    )


def _members(name: str) -> str:
    """The measures of a set, or a few of them and how to list them all."""
    members = named_set(name)
    more = f", ...: `rankgauge measures {name}` lists all {len(members)}"
    return codes(members) if len(members) <= MAX_MEMBERS else codes(members[:5]) + more
