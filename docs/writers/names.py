"""The page on names: every name of a measure, whose it is, and what it means."""

from collections.abc import Iterator

from rankgauge.measures import MEASURES
from rankgauge.measures.other_tools import DIFFERENT, REFUSED
from rankgauge.measures.spec import Spec, meanings
from writers.markup import code, sentence, table
from writers.measures import page_of

OTHERS = "Papers and people"


def names_by_user() -> dict[str, list[tuple[str, Spec, str]]]:
    """{whose name it is: [(name, the measure, the settings that the name stands for)]}."""
    names: dict[str, list[tuple[str, Spec, str]]] = {"trec_eval": []}
    for spec in MEASURES.values():
        for user, text in (("trec_eval", spec.names.trec), *spec.names.tools.items()):
            names.setdefault(user, []).extend((name, spec, stands) for name, stands in meanings(text).items())
    names[OTHERS] = [
        (name, spec, stands)
        for spec in MEASURES.values()
        for name, stands in meanings(spec.names.aliases).items()
    ]
    return names


def all_names() -> Iterator[str]:
    """The names of measures, tool by tool, and those that mean something else here, or nothing."""
    yield "# Names of measures\n"
    yield """A measure is found by any of the names below, by its own name, or by its title, wherever it
can be given. Upper and lower case make no difference, nor do `-`, `_`, spaces, and whether a Greek letter is
written as such or as a word: `hit_rate`, `HitRate` and `hit rate` are one name, and so are `α-nDCG` and
`alpha_nDCG`. Exact text wins: `rbp` is trec_eval's measure, `RBP` is the one of that name. `ndcg_at_10` is
`nDCG@10`; `cutoff=10`, `top_k=10` and `k=10` are `@10`; `map@100-l2` is `AP(rel=2)@100`.

```console
$ rankgauge measures hit_rate
```

Results have the canonical names, unless `names="given"` (`--names given`) asks for the given ones.
"""
    for user, names in names_by_user().items():
        yield f"## {user}\n"
        rows = ((code(name), _measure(name, spec, stands)) for name, spec, stands in names)
        yield table(("name", "measure"), rows)
    yield "## Names with another meaning\n"
    yield """These names mean something else here than in the tool: other names of the same text, or of
rankgauge itself, come first. What the tool computes is written as in the last column.
"""
    rows = ((tool, code(name), code(instead)) for tool, name, instead, *_ in DIFFERENT)
    yield table(("tool", "name", "write"), rows)
    yield "## Names without a measure\n"
    yield "These names are refused, with the reason.\n"
    rows = ((tool, code(name), sentence(reason)) for tool, name, _, reason in REFUSED)
    yield table(("tool", "name", "reason"), rows)


def _measure(name: str, spec: Spec, stands: str) -> str:
    """The measure that a name stands for, as a link."""
    cutoff = "@k" if name.endswith("_k") and name in spec.trec else ""
    text = f"{spec.name}{f'({stands})' if stands else ''}{cutoff}"
    return f"[{code(text)}]({page_of(spec)})"
