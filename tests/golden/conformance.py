"""Write the folder `conformance` from the golden cases: python tests/golden/conformance.py."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
SUITE = HERE.parents[1] / "conformance"
FIRST = 1001  # the first topic: numbers that no rank or cutoff has
NAMED = ("linear", "exp2", "binary")
PLAIN = [f"{name}@{k}" for name in ("P", "R", "AP(norm=cut)") for k in (5, 10)]
PLAIN += [
    "AP",
    "RR",
    "AP11",
    *(f"IPrec@{level}" for level in (0, 0.1, 0.5, 1)),
    "SetP",
    "SetR",
    "SetF(beta=1)",
]
PLAIN += [f"Bpref(over={over},negatives=nonrelevant)" for over in ("min", "R")]
PLAIN += [f"RBP(p={p})" for p in (0.5, 0.8, 0.95)]
PLAIN += ["ASL"]
JUDGED = "Bpref(over=min)"  # grades below 0 are unjudged, and no case has such values
GRADED = [f"{name}@{k}" for name in ("CG(gains=G)", "nCG(gains=G)") for k in (5, 10)]
GRADED += [
    f"{m}(gains=G{b})@{k}" for m in ("DCG", "nDCG") for b in ("", ",base=2", ",base=10") for k in (5, 10)
]
GRADED += ["Q(beta=1,gains=G)", "genAP(gains=G)"]


def suite():
    """{file: its text}."""
    from golden import test_golden as golden

    wanted = [JUDGED, *PLAIN]
    wanted += [text.replace("G)", f"{name})").replace("G,", f"{name},") for text in GRADED for name in NAMED]
    cases = [
        case
        for case in json.loads((HERE / "ranking.json").read_text())
        if case["ranking"] and case["judgments"] and len(case["ranking"]) <= case["N"]
    ]
    values = {text: {} for text in wanted}
    qrels, run, sources = [], [], {}
    for topic, case in enumerate(cases, FIRST):
        known = {}
        for of in (golden.binary, golden.sets, golden.at_cutoffs, golden.graded, golden.user_models):
            known |= dict(of(case))
        if min(case["judgments"].values()) >= 0:
            known[JUDGED] = case["expected"]["binary"]["bpref"]
        for text in wanted:
            values[text][str(topic)] = known.get(text)
        qrels += [f"{topic} 0 {doc} {grade}" for doc, grade in case["judgments"].items()]
        last = len(case["ranking"])
        run += [f"{topic} Q0 {doc} {n} {last - n + 1} case" for n, doc in enumerate(case["ranking"], 1)]
        sources[str(topic)] = f"{case['id']}: {case['note']}"
    return {
        "qrels.txt": "\n".join(qrels) + "\n",
        "run.txt": "\n".join(run) + "\n",
        "definitions.json": to_json(values),
        "topics.json": to_json(sources),
    }


def to_json(rows):
    lines = (f" {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    for name, text in suite().items():
        (SUITE / name).write_text(text, encoding="utf-8")
