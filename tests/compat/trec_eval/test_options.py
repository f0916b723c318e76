"""trec_eval's options, alone and together."""

import io
import subprocess
import sys

import pytest

import rankgauge
from compat.trec_eval.conftest import FORMS, QRELS, RUN, possible
from rankgauge.compat.trec_eval.columns import MEASURES, NICKNAMES, known

LONG = {
    "-q": "--query_eval_wanted",
    "-m": "--measure",
    "-c": "--complete_rel_info_wanted",
    "-l": "--level_for_rel",
    "-n": "--nosummary",
    "-J": "--Judged_docs_only",
    "-N": "--Number_docs_in_coll",
    "-M": "--Max_retrieved_per_topic",
    "-R": "--Rel_info_format",
    "-T": "--Results_format",
    "-Z": "--Zscore",
    "-D": "--Debug_level",
}


def test_without_options_the_official_measures_are_printed(trec_eval, files):
    said = trec_eval(*files)
    assert said.status == 0
    names = list(dict.fromkeys(name for name, _, _ in said.lines))
    assert names[:6] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map"]
    assert names[-1] == "P_1000"
    assert {topic for _, topic, _ in said.lines} == {"all"}
    assert said.out.startswith("runid                 \tall\tmine\nnum_q                 \tall\t2\n")


PREFS = "1 u 0 a 2\n1 u 0 b 1\n1 v 0 b 2\n1 v 0 c 1\n3 u 0 x 1\n3 u 0 y 0\n"
GROUPS = "1 u a 1\n1 u c 2\n1 v c 2\n3 u x 1\n"
HIGH = "1 0 a 10\n1 0 b 9\n"
SIMP = "-q -R prefs -m prefs_num_prefs_poss -m prefs_simp -m num_q"
BY_GROUP = "-q -R qrels_jg -m map_avgjg -m P_avgjg.5"
# (options, judgments, {(measure, topic): the value printed, None for no line})
VALUES = [
    ("-m map", QRELS, {("map", "all"): "0.6000", ("map", "1"): None}),
    ("-q -m map", QRELS, {("map", "1"): "0.7000", ("map", "2"): "0.5000", ("map", "all"): "0.6000"}),
    ("-q -n -m map", QRELS, {("map", "1"): "0.7000", ("map", "all"): None}),
    ("-n -m map", QRELS, {("map", "1"): None, ("map", "all"): None}),
    (
        "-c -q -m map -m num_q",
        QRELS,
        {("map", "all"): "0.4000", ("map", "3"): "0.0000", ("num_q", "all"): "3"},
    ),
    ("-c -q -m num_rel", QRELS, {("num_rel", "3"): "1", ("num_rel", "all"): "4"}),
    ("-c -q -m relstring", QRELS, {("relstring", "3"): "''"}),
    ("-c -q -m map --rules 9", QRELS, {("map", "3"): None, ("map", "all"): "0.4000"}),
    ("-c -q -m num_rel --rules 9", QRELS, {("num_rel", "3"): None, ("num_rel", "all"): "4"}),
    ("-l 2 -q -m map -m num_rel", QRELS, {("map", "1"): "0.2000", ("num_rel", "2"): "0"}),
    ("-l2 -q -m map", QRELS, {("map", "1"): "0.2000"}),
    ("-l 0 -q -m num_rel", QRELS, {("num_rel", "1"): "3"}),
    ("-J -q -m map -m num_ret", QRELS, {("map", "1"): f"{(1 + 2 / 3) / 2:.4f}", ("num_ret", "1"): "3"}),
    ("-J -q -m relstring", QRELS, {("relstring", "1"): "'102'"}),
    ("-M 3 -q -m map -m num_ret", QRELS, {("map", "1"): "0.5000", ("num_ret", "1"): "3"}),
    ("-M 3 -q -m relstring", QRELS, {("relstring", "1"): "'1-0'"}),
    ("-M 3 -J -q -m relstring", QRELS, {("relstring", "1"): "'10'"}),  # cut, then condensed
    # 100 - 5 retrieved, all relevant ones among them
    ("-N 100 -q -m utility.0,0,0,1", QRELS, {("utility_0,0,0,1", "1"): "95.0000"}),
    ("-q -m relstring", QRELS, {("relstring", "1"): "'1-0.2'", ("relstring", "all"): None}),
    ("-q -m relstring.2", QRELS, {("relstring_2", "1"): "'1-'"}),
    ("-q -m relstring", HIGH, {("relstring", "1"): "'>-9--'"}),
    # trec_eval's parameter is the square of beta
    ("-q -m set_F.4", QRELS, {("set_F_4", "1"): f"{5 * 2 / 5 / (1 + 4 * 2 / 5):.4f}"}),
    ("-m official -m P.3", QRELS, {("P_3", "all"): "0.3333", ("P_5", "all"): None, ("map", "all"): "0.6000"}),
    ("-D 0.2 -q -m map -m num_q", QRELS, {("map", "2"): "0.5000", ("map", "1"): None, ("num_q", "all"): "1"}),
    ("-D 6 -m map", QRELS, {("map", "all"): "0.6000"}),
    (SIMP, PREFS, {("prefs_simp", "1"): "1.0000", ("num_q", "all"): "1"}),
    # b and c are not retrieved: that b is better is a failure
    (f"{SIMP} -M 1", PREFS, {("prefs_simp", "1"): "0.5000"}),
    (f"{SIMP} -c", PREFS, {("prefs_num_prefs_poss", "3"): "1", ("prefs_simp", "all"): "0.5000"}),
    (f"{SIMP} -c", PREFS, {("prefs_num_prefs_poss", "all"): "3"}),
    (f"{SIMP} -c --rules 9", PREFS, {("prefs_num_prefs_poss", "all"): "2"}),
    (BY_GROUP, GROUPS, {("map_avgjg", "1"): f"{((1 + 2 / 5) / 2 + 1 / 5) / 2:.4f}"}),
    (f"{BY_GROUP} -l 2", GROUPS, {("map_avgjg", "1"): "0.2000"}),
    (f"{BY_GROUP} -M 3", GROUPS, {("map_avgjg", "1"): "0.2500"}),
    (f"{BY_GROUP} -J", GROUPS, {("map_avgjg", "1"): "1.0000"}),
    (f"{BY_GROUP} -c", GROUPS, {("map_avgjg", "all"): "0.2250"}),
    # a run without results for any judged topic
    ("-c -q -m num_rel -m gm_map", "9 0 a 1\n", {("num_rel", "9"): "1", ("gm_map", "all"): "0.0000"}),
    (f"{SIMP} -c", "9 u 0 a 2\n9 u 0 b 1\n", {("prefs_num_prefs_poss", "9"): "1", ("num_q", "all"): "1"}),
    (f"{BY_GROUP} -c", "9 u a 1\n", {("map_avgjg", "9"): "0.0000", ("map_avgjg", "all"): "0.0000"}),
]


@pytest.mark.parametrize(("options", "judgments", "expected"), [row for row in VALUES if possible(row[0])])
def test_options_decide_what_is_printed(options, judgments, expected, trec_eval, write, files):
    said = trec_eval(*options.split(), write("judged", judgments), files[1])
    assert said.status == 0
    assert {line: said.values.get(line) for line in expected} == expected


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ("-l 2 -m ndcg", "-m ndcg"),  # which has no levels
        ("-q -m ndcg.1=5", "-q -m ndcg.1=5,2=2"),  # grades without a gain keep their own
        ("-m 11pt_avg.1,0,.5", "-m 11pt_avg.0,.5,1"),
    ],
)
def test_options_without_an_effect(options, same, trec_eval, files):
    one, other = ([line[1:] for line in trec_eval(*each.split(), *files).lines] for each in (options, same))
    assert one == other != []


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (
            "-m P.10,2 -m iprec_at_recall..5,.25",
            ["iprec_at_recall_0.25", "iprec_at_recall_0.50", "P_2", "P_10"],
        ),
        (
            "-m set_F.0.5 -m utility.1,-1,.5,0 -m ndcg.1=3,2=9 -m 11pt_avg.0,1",
            ["utility_1,-1,.5,0", "11pt_avg_0,1", "ndcg_1=3,2=9", "set_F_0.5"],
        ),
    ],
)
def test_parameters_are_part_of_the_name(options, names, trec_eval, files):
    assert [name for name, _, _ in trec_eval(*options.split(), *files).lines] == names


@pytest.mark.parametrize(
    "name", [name for name in NICKNAMES if name not in ("all_prefs", "prefs", "qrels_jg")]
)
def test_a_nickname_is_its_members(name, trec_eval, files):
    members = [word for member in NICKNAMES[name] for word in ("-m", member)]
    assert trec_eval("-q", "-m", name, *files).out == trec_eval("-q", *members, *files).out != ""


def test_every_measure_can_be_asked_for_alone(trec_eval, files, write):
    qrels = {
        "qrels": files[0],
        "qrels_jg": files[0],
        "prefs": write("prefs", "1 u 0 a 2\n1 u 0 b 1\n2 u 0 a 1\n"),
        "any": files[0],
    }
    for name, entry in known(10).items():
        if entry.source not in ("any", *FORMS):
            continue
        form = "qrels" if entry.source == "any" else entry.source
        said = trec_eval("-q", "-m", name, "-R", form, qrels[entry.source], files[1])
        assert said.status == 0, (name, said.err)
        assert all(line[0].startswith(name) for line in said.lines)
        assert said.lines


def test_measures_of_version_10_are_unknown_to_version_9(trec_eval, files):
    new = set(known(10)) - set(known(9))
    assert new == {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}
    for name in new:
        said = trec_eval("-m", name, "--rules", "9", *files)
        assert said.status == 1
        assert f"{name} is new in version 10" in said.err
    said = trec_eval("-m", "all_trec", "--rules", "9", *files)
    assert not {name for name, _, _ in said.lines} & {"rbp", "rbp_resid", "unj_5"}


def test_scores_are_compared_in_single_precision_under_the_rules_of_version_9(trec_eval, write):
    qrels, run = write("qrels", "1 0 a 1\n"), write("run", "1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n")
    assert trec_eval("-m", "recip_rank", qrels, run).values["recip_rank", "all"] == "1.0000"
    said = trec_eval("-m", "recip_rank", "--rules", "9", qrels, run)
    assert said.values["recip_rank", "all"] == "0.5000"


def test_options_have_long_names_and_may_stand_anywhere(trec_eval, files):
    short = trec_eval("-q", "-c", "-l", "2", "-m", "map", "-M", "4", *files)
    words = [
        *(LONG["-q"], LONG["-c"], LONG["-l"], "2"),
        files[0],
        LONG["-m"],
        "map",
        files[1],
        LONG["-M"],
        "4",
    ]
    assert trec_eval(*words) == short
    assert trec_eval("-qcl2", "-mmap", "-M4", *files) == short
    assert trec_eval(*files, "-qc", "-l2", "-mmap", "-M4", "-o", "-Ttrec_results", "-Rqrels") == short


def test_long_names_may_be_cut_short_and_help_has_them(trec_eval, files):
    assert trec_eval("--query", "--meas", "map", "--complete", *files) == trec_eval("-qc", "-mmap", *files)
    said = trec_eval("-h").out
    assert all(name in said for name in LONG.values())


def test_z_scores_are_deviations_from_means(trec_eval, write, files):
    norms = write("norms", "1 map 0.5 0.1\n2 map 0.5 0\n")
    said = trec_eval("-q", "-m", "map", "-m", "num_q", "-m", "gm_map", "-m", "runid", "-Z", norms, *files)
    assert said.out == (
        "Zmap                   \t1\t2.0000\n"
        "Zmap                   \t2\t0.0000\n"
        "runid                 \tall\tmine\n"
        "Znum_q                 \tall\t2.0000\n"
        "Zmap                   \tall\t1.0000\n"
        "Zgm_map                \tall\t0.0000\n"
    )


def test_z_scores_that_cannot_be_had_are_a_large_negative_number(trec_eval, write, files):
    norms = write("norms", "1 map 0.5 0\n")
    said = trec_eval("-q", "-m", "map", "-Z", norms, *files)
    assert said.values["Zmap", "1"] == said.values["Zmap", "2"] == "-1000000.0000"
    same = write("same", "2 map 0.5 0\n")
    assert trec_eval("-q", "-m", "map", "-Z", same, *files).values["Zmap", "2"] == "0.0000"
    old = trec_eval("-q", "-m", "map", "-Z", same, "--rules", "9", *files)
    assert old.values["Zmap", "2"] == "-1000000.0000"


def test_a_run_is_read_from_standard_input(files):
    done = subprocess.run(
        [sys.executable, "-m", "rankgauge", "trec_eval", "-m", "map", "-m", "runid", str(files[0]), "-"],
        input=RUN,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == "runid                 \tall\tmine\nmap                   \tall\t0.6000\n"


def test_the_last_line_names_the_run(trec_eval, write, files):
    run = write("tags", "1 Q0 a 1 9 first\n2 Q0 a 1 9 last\n\n# the end\n")
    assert trec_eval("-m", "runid", files[0], run).out == "runid                 \tall\tlast\n"


def test_what_follows_the_sixth_column_is_overlooked(trec_eval, write, files):
    longer = write("longer", RUN.replace(" mine\n", " mine and more\n"))
    assert (
        trec_eval("-q", "-m", "all_trec", files[0], longer).out
        == trec_eval("-q", "-m", "all_trec", *files).out
    )
    some = write("some", RUN.replace("z 1 9 mine", "z 1 9 mine x"))
    assert trec_eval("-q", "-m", "map", files[0], some).out == trec_eval("-q", "-m", "map", *files).out


def test_topics_are_in_the_order_of_their_bytes(trec_eval, write):
    qrels = write("qrels", "10 0 a 1\n9 0 a 1\n1 0 a 1\nä 0 a 1\n")
    run = write("run", "9 Q0 a 1 1 t\nä Q0 a 1 1 t\n10 Q0 a 1 1 t\n1 Q0 a 1 1 t\n")
    assert [topic for _, topic, _ in trec_eval("-q", "-n", "-m", "map", qrels, run).lines] == [
        "1",
        "10",
        "9",
        "ä",
    ]


def test_help_explains_the_measures_that_are_given(trec_eval):
    plain = trec_eval("-h")
    assert plain.status == 0
    assert "usage: rankgauge trec_eval" in plain.out
    for words in (("-h", "-m", "map"), ("-m", "map", "--help"), ("-m", "map", "-h", "qrels", "run")):
        said = trec_eval(*words)
        assert said.status == 0
        assert said.out.startswith(plain.out)
        assert "\nmap\n    Average precision" in said.out
    for name in [name for name, entry in MEASURES.items() if entry.source in ("any", *FORMS)]:
        said = trec_eval("-h", "-m", name)
        assert said.status == 0
        assert f"\n{name}\n    " in said.out


def test_version_names_both(trec_eval):
    said = trec_eval("-v")
    assert (said.status, said.out) == (0, "")
    assert said.err == f"trec_eval version 10.0-rc3 (rankgauge {rankgauge.__version__})\n"
    assert trec_eval("--rules", "9", "--version").err.startswith("trec_eval version 9.0.4 ")


def test_quiet_leaves_notes_out(trec_eval, files):
    assert "note: 1 judged topic has no results" in trec_eval("-m", "map", *files).err
    assert trec_eval("-m", "map", "--quiet", *files).err == ""


def test_the_same_lines_on_any_stream(files, monkeypatch, capsys):
    """Ids that are no UTF-8 go through as the bytes they are."""
    from rankgauge.cli.main import main

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    qrels, run = files[0].parent / "q", files[0].parent / "r"
    qrels.write_bytes(b"t\xff 0 a 1\n")
    run.write_bytes(b"t\xff Q0 a 1 1 \xfe\n")
    assert main(["trec_eval", "-q", "-m", "map", "-m", "runid", str(qrels), str(run)]) == 0
    assert raw.getvalue() == (
        b"map                   \tt\xff\t1.0000\nrunid                 \tall\t\xfe\n"
        b"map                   \tall\t1.0000\n"
    )


def test_f_is_rounded_as_in_trec_eval(trec_eval, write):
    """(x + 1) P R / (x P + R) in doubles is 0.09375 here, the weighted harmonic mean a bit less."""
    qrels = write("qrels", "".join(f"1 0 d{number} 1\n" for number in range(28)))
    run = write("run", "1 Q0 d0 1 2 t\n1 Q0 z 2 1 t\n")
    assert trec_eval("-m", "set_F.0.5", qrels, run).values["set_F_0.5", "all"] == "0.0938"
    missed = write("missed", "1 Q0 z 1 2 t\n")
    assert trec_eval("-m", "set_F.0.5", qrels, missed).values["set_F_0.5", "all"] == "0.0000"
