"""What `-h` says of trec_eval's measures: our own words, from where the measures are defined."""

from __future__ import annotations

import textwrap

from rankgauge.compat.trec_eval.table import MEASURES, PREFS

TEXTS = {
    "runid": "The name of the run, from the last line of its file.",
    "num_q": "How many topics were evaluated.",
    "relstring": "The grades of the first N documents, one character each: the grade up to 9, > above that, "
    ". for a negative grade, - for a document that is not judged. Default: relstring.10",
}


def explained(name: str) -> str:
    """What one of trec_eval's measures is."""
    entry = MEASURES[name]
    if name in TEXTS:
        said = TEXTS[name]
    elif entry.source == PREFS:
        from rankgauge.evaluation.preferences import MEASURES as OF_PREFERENCES

        said = f"{OF_PREFERENCES[name].title} (-R prefs or -R qrels_prefs)."
    else:
        from rankgauge.measures import parse

        cutoff = entry.default.split(",")[-1]
        base = name.removesuffix("_avgjg")
        measure = parse(f"{base}_{cutoff}" if cutoff else base)
        over = ", the mean over judgment groups (-R qrels_jg)" if base != name else ""
        said = f"{measure.spec.title}{over}: {measure.spec.formula}\n{measure.spec.help}"
    default = f"\nDefault: {name}.{entry.default}" if entry.default else ""
    return "\n".join(
        textwrap.fill(line, 100, initial_indent="    ", subsequent_indent="    ")
        for line in f"{said}{default}".splitlines()
        if line
    )
