"""The command `rankgauge measures`, and the completion of measures in shells."""

import json
import os
import shlex
import subprocess
from itertools import groupby

import pytest

from rankgauge.cli.main import main
from rankgauge.measures import MEASURES, measure
from registries import restored


def lines(capsys, *arguments, code=0):
    assert main(["measures", *arguments]) == code
    return capsys.readouterr().out.splitlines()


def test_the_list_opens_with_the_well_known_below_their_families(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = lines(capsys)  # also in a pipe
    known = [spec for spec in MEASURES.values() if spec.well_known]
    listed = [line.split()[0] for line in shown if line.startswith("  ")]
    assert sorted(listed) == sorted(spec.name for spec in known)
    assert listed[:7] == ["P", "R", "F", "Rprec", "Success", "AP", "RR"]
    assert [*dict.fromkeys(MEASURES[name].family for name in listed)] == [
        family for family, _ in groupby(MEASURES[name].family for name in listed)
    ]
    heading = "Binary measures of a ranking, or without a cutoff of the set of documents"  # at 80 columns
    assert shown.index(heading) < next(i for i, line in enumerate(shown) if line.endswith("  Precision"))
    assert f"{len(known)} well-known of {len(MEASURES)} measures; `rankgauge measures --all`" in shown[-2]
    assert len(shown) < 60  # a page or two
    assert all(len(line) <= 80 for line in shown)


def test_all_are_listed_on_demand_and_for_programs(capsys):
    everything = [*MEASURES]
    shown = lines(capsys, "--all", "--format", "table")
    assert sorted(line.split()[0] for line in shown if line.startswith("  ")) == sorted(everything)
    assert "well-known" not in "".join(shown)
    known_first = sorted(everything, key=lambda name: not MEASURES[name].well_known)
    assert [line.split("\t")[0] for line in lines(capsys, "--format", "tsv")[1:]] == known_first
    assert [each["name"] for each in json.loads("\n".join(lines(capsys, "--format", "json")))] == known_first


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("hit_rate", "Success: Success"),
        ("Q-measure", "Q: Q-measure"),
        ("hits", "hits is NumRelRet(average=mean)."),
        ("ndcg_at_10", "ndcg_at_10 is nDCG@10."),
        ("nDCG@10", "nDCG: Normalised discounted cumulated gain"),
        ("nDCG(gains=exp2)", "nDCG: Normalised discounted cumulated gain"),
        ("mean reciprocal rank", "RR: Reciprocal rank"),
        ("RetrievalFallOut", "Fallout: Fallout"),  # which cannot be parsed without docs=
    ],
)
def test_a_measure_is_described_by_any_of_its_names(name, first, capsys):
    assert lines(capsys, name)[0] == first


def test_part_of_a_name_lists_the_measures_with_it(capsys):
    shown = lines(capsys, "gain", "--format", "tsv")
    assert [line.split("\t")[0] for line in shown[1:4]] == ["CG", "DCG", "nDCG"]
    assert lines(capsys, "ga", code=2) == []  # too short
    assert lines(capsys, "nonsense", code=2) == []


def test_a_measure_of_another_package_has_its_own_heading(capsys):
    with restored(MEASURES):

        @measure("Found", title="Found", formula="...", cite="...", example="Found@1", bounds=(0, 1))
        def found(j: "JudgedRankings") -> "Curve":  # noqa: F821
            """Whether anything is found."""
            return j.hits

        found.__module__ = __name__
        shown = lines(capsys, "--all", "--format", "table")
    assert shown[shown.index("  Found               Found") - 1] == __doc__


@pytest.fixture
def complete(invoke):
    """What bash completes a command line to, the last word of which is being typed."""
    script = invoke("--completion", "bash").out

    def replies(*words):
        quoted = " ".join(map(shlex.quote, words))
        script_and_call = (
            f"{script}\nCOMP_WORDS=(rankgauge {quoted}); COMP_CWORD={len(words)}; _shtab_rankgauge\n"
            'for reply in "${COMPREPLY[@]}"; do echo "$reply"; done'
        )
        done = subprocess.run(
            ["bash", "--norc"], input=script_and_call, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.splitlines()

    return replies


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_bash_completes_measures(complete):
    evaluate = ("evaluate", "q.txt", "a.run", "-m")
    assert complete(*evaluate, "nDC") == complete(*evaluate, "ndc") == ["nDCG", "nDCG_rel"]
    assert complete(*evaluate, "tWi") == ["Twist"]
    assert complete(*evaluate, '"nDCG@10 alpha_n') == ["nDCG@10 alpha_nDCG"]
    assert complete(*evaluate, "'nDCG@10, AP;Bpr") == ["nDCG@10, AP;Bpref"]
    assert complete(*evaluate, "P@5", "-m", "grad") == ["graded"]
    assert complete(*evaluate, "xyz") == []
    assert complete(*evaluate, "") == [name for name, spec in MEASURES.items() if spec.well_known]
    assert complete("evaluate", "q.txt", "a.run", "--sort", "nD") == ["nDCG", "nDCG_rel"]
    assert complete("compare", "q.txt", "a.run", "--measure", "Bpr") == ["Bpref"]
    assert complete("measures", "suc") == ["Success"]
    assert complete("trec_eval", "-m", "ndcg") == ["ndcg", "ndcg_cut", "ndcg_rel"]
    assert complete("trec_eval", "-m", "offi") == ["official"]


@pytest.mark.parametrize("name", ["Hole@10", "a-nDCG", "rbp.95"])
def test_a_name_without_a_measure_is_refused_with_the_reason(name, invoke):
    assert "is not among the measures; " in invoke("measures", name, code=2).err
