"""Descriptions of trec_eval's measures for `-h`, from our own measures."""

from __future__ import annotations

import textwrap

from rankgauge.compat.trec_eval.table import MEASURES, PREFS

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
        from rankgauge.evaluation.preferences import MEASURES as OF_PREFERENCES

        text = f"{OF_PREFERENCES[name].title} (-R prefs or -R qrels_prefs)."
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
