"""The page on tests between runs and corrections."""

from collections.abc import Iterator

from rankgauge.comparison.registry import CORRECTIONS, SEED, TESTS
from writers.markup import code, table

KINDS = {
    "pair": "of the differences of a pair, topic by topic",
    "all": "of all runs together, on the topics that all have",
}


def tests() -> Iterator[str]:
    """Every test and every correction."""
    yield "# Tests and corrections\n"
    yield """Choices of `rankgauge compare --test` and of `rankgauge.compare(scores, test=...)`; what for,
says [Compare systems](../how-to/compare-systems.md). All p are two-sided.
"""
    known = TESTS
    rows = ((f"[{name}](#{name})", test.title, KINDS[test.kind]) for name, test in known.items())
    yield table(("name", "test", "looks at"), rows)
    for name, test in known.items():
        yield f"## {name}\n"
        yield f"{test.title[0].upper()}{test.title[1:]}: a test {KINDS[test.kind]}.\n"
        yield f"{test.help}\n"
        facts = {
            "statistic": test.statistic,
            "effect": test.effect,
            "interval": test.interval,
            "source": test.cite,
        }
        if test.samples:
            facts["random"] = (
                f"{test.samples} {test.unit}, seed {SEED}, unless `samples=` and `seed=` are given"
            )
        if test.familywise:
            facts["many pairs"] = "counts with all of them already: no correction is added"
        yield table(("", ""), facts.items())
        yield f"Example: `rankgauge compare qrels.txt bm25.run ql.run --test {name}`\n"
    yield "## Corrections\n"
    yield """Choices of `--correction` and `correction=`. All pairs of one measure are one family, without
those whose p is undefined.
"""
    rows = ((code(name), each.title, each.help, each.cite) for name, each in CORRECTIONS.items())
    yield table(("name", "correction", "effect", "source"), rows)
