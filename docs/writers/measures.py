"""The pages on measures and on the language they are written in."""

import importlib
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping

import rankgauge
from rankgauge.cli.measures import record
from rankgauge.measures import MEASURES, language, named_set, parse, set_names
from rankgauge.measures.interpolated import LEVELS
from rankgauge.measures.named_sets import TITLES
from rankgauge.measures.rankings import discounts, gains
from rankgauge.measures.spec import GRADE, JUDGED_ONLY, NEGATIVES, REL, Spec, average_parameter
from rankgauge.schema.options import AVERAGES
from rankgauge.studies.simulation import examples
from writers.markup import code, codes, fenced, prose, table

FRAMEWORK = (REL, GRADE, JUDGED_ONLY, NEGATIVES, average_parameter(ratio=True))
SHARED = {parameter.name for parameter in FRAMEWORK}
UNCUT = {
    "ideal": "all documents retrieved, or as many as are judged if that is more",
    "endless": "all ranks, without end; below the last document retrieved, nothing has a gain",
}
EXAMPLE, RUN, TOPIC = "jarvelin-2002", "G", "1"
DIVERSE, DIVERSE_RUN, DIVERSE_TOPIC = "clarke-2008", "bm25", "85"  # for measures that need subtopics
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
    """{family: its measures}."""
    by_family: dict[str, list[Spec]] = {}
    for spec in MEASURES.values():
        by_family.setdefault(spec.family.rpartition(".")[2], []).append(spec)
    return by_family


def measures() -> Iterator[str]:
    """All measures, family by family, each in a few lines."""
    yield "# Measures\n"
    yield """`rankgauge measures` lists them, and `rankgauge measures NAME` shows all about one: details of
the definition, how ties are handled, every name it has. [The measure language](language.md) explains how
measures are written, the parameters that all of them have, and the gains of grades; only a measure's own
parameters are listed here. Values are between 0 and 1, and higher is better, unless stated otherwise.
[Names of measures](names.md) has the names in other tools.
"""
    yield _on_grades()
    for family, specs in families().items():
        yield f"## {family.capitalize()}\n"
        yield prose(_about(specs[0]).split("\n\n")[0])
        if specs[0].needs.strata:
            yield "In the examples, all documents of the ranking at the top of this page are one stratum.\n"
        elif specs[0].needs.subtopics:
            yield _on_subtopics()
        counts = Counter(item for spec in specs for item in _own_parameters(spec).items())
        # Of a parameter that differs between measures, the most frequent reading is "as above".
        shared = {name: line for (name, line), times in reversed(counts.most_common()) if times > 1}
        if shared:
            yield "Parameters of several of them:\n"
            yield from shared.values()
            yield ""
        for spec in specs:
            yield from _measure(spec, shared)


def _on_grades() -> str:
    """The ranking behind the examples of most measures."""
    example = examples.load(EXAMPLE)
    grades = example.qrels[TOPIC]
    ranking = " ".join(str(grades[doc]) for doc in example.runs[RUN][TOPIC])
    pool = " ".join(map(str, sorted(grades.values(), reverse=True)))
    return f"""The examples use a ranking of ten documents, with the grades `{ranking}` in order of rank.
The grades of all judged documents are `{pool}`.
(Source: {example.source}.)
"""


def _on_subtopics() -> str:
    """The ranking behind the examples of measures that need subtopics."""
    example = examples.load(DIVERSE)
    subtopics = example.subtopics[DIVERSE_TOPIC]
    ranking = ", ".join(
        f"{doc}: {' '.join(name for name, judged in subtopics.items() if doc in judged) or 'none'}"
        for doc in example.runs[DIVERSE_RUN][DIVERSE_TOPIC]
    )
    return f"""The examples use a ranking of ten documents, which are relevant to these subtopics, in order of
rank: `{ranking}`. (Source: {example.source}.)
"""


def _about(spec: Spec) -> str:
    """The docstring of a measure's family."""
    return inspect.getdoc(importlib.import_module(spec.family)) or ""


def _own_parameters(spec: Spec) -> dict[str, str]:
    """{parameter: a line on it}, without those that all measures have."""
    found = {}
    for p in record(spec)["parameters"]:
        if p["name"] in SHARED:
            continue
        default = (
            f"default {code(p['default'])}" if p["default"] else "required" if p["required"] else "optional"
        )
        allowed = "" if p["name"] == "gains" else f"{p['allowed']}; "  # the page on the language has them
        found[p["name"]] = f"- {code(p['name'])} ({allowed}{default}): {p['help']}"
    return found


def _measure(spec: Spec, shared: Mapping[str, str]) -> Iterator[str]:
    facts, own = record(spec), _own_parameters(spec)
    yield f"### {spec.name}\n"
    yield f"**{spec.title}**\n"
    yield fenced(spec.formula)
    yield prose(spec.help.split("\n\n")[0])
    above = [name for name, line in own.items() if shared.get(name) == line]
    yield from (line for name, line in own.items() if name not in above)
    if above:
        yield f"- {codes(above)}: as above"
    if own:
        yield ""
    low, high = ("any number" if bound is None else bound for bound in facts["bounds"])
    varies = spec.laws.varies
    default = spec.parameter(varies).default if varies else None
    varied = f" (with {varies}={spec.parameter(varies).kind.write(default)})" if default else ""
    better = {1: "", -1: "lower is better", 0: "neither is better"}[spec.direction]
    between = "" if (low, high) == (0, 1) and not varied else f"{low} to {high}{varied}"
    differs = ", ".join(filter(None, [between, better]))
    sentences = [f"{differs[0].upper()}{differs[1:]}."] if differs else []
    if spec.curve and spec.uncut != "retrieved":
        sentences.append(f"Without a cutoff: {UNCUT[spec.uncut]}.")
    if spec.trec:
        sentences.append(f"trec_eval: {codes(spec.trec)}.")
    if spec.shows.caution:
        sentences.append(f"Caution: {spec.shows.caution}.")
    sentences.append(f"{code(spec.example)} = {_example(spec):.4f}. Source: {spec.cite}.")
    yield f"{' '.join(sentences)}\n"


def _example(spec: Spec) -> float:
    diverse = spec.needs.subtopics and not spec.needs.strata
    example = examples.load(DIVERSE if diverse else EXAMPLE)
    run = {RUN: example.runs[DIVERSE_RUN if diverse else RUN]}
    qrels = example.subtopics if diverse else example.qrels
    if spec.needs.strata:
        qrels = {topic: {"0": judged} for topic, judged in qrels.items()}
    (value,) = rankgauge.evaluate(qrels, run, spec.example).mean()[RUN].values()
    return float(value)


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
