"""Wrong options, broken files, hostile input: trec_eval's exit codes, and words that help."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat.trec_eval.conftest import FORMS, QRELS, RUN
from rankgauge.compat.trec_eval.columns import MEASURES

USAGE, INPUT, CALCULATION, NOTHING_IN_COMMON = 1, 2, 4, 7


def refused(said, status, *words):
    """Whether the command stopped with this exit code and these words, and printed nothing else."""
    assert (said.status, said.out) == (status, ""), said
    assert "Traceback" not in said.err
    for word in words:
        assert word in said.err
    return True


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["-m", "nosuch"], USAGE, ["no measure 'nosuch'", "official", "map"]),
        (["-m", "mapp"], USAGE, ["did you mean map?"]),
        (["-m", "ndcg_p"], USAGE, ["no measure 'ndcg_p'"]),
        (["-m", ""], USAGE, ["no measure ''"]),
        (["-m", "P_5"], USAGE, ["no measure 'P_5'"]),
        (["-m", "official.5"], USAGE, ["official is a set of measures"]),
        (["-l", "one"], USAGE, ["-l must be a whole number from 0 to 999999999999999, not 'one'"]),
        (["-l", "-1"], USAGE, ["-l must be a whole number from 0 to 999999999999999, not '-1'"]),
        (["-l", "1.5"], USAGE, ["-l must be a whole number"]),
        (["-M", "0"], USAGE, ["-M must be a whole number from 1 to 999999999999999, not 0"]),
        (["-N", "many"], USAGE, ["-N must be a whole number from 1 to 999999999999999, not 'many'"]),
        (["-D", "x"], USAGE, ["-D must be a whole number from 0 to 999999999999999, not 'x'"]),
        (["--rules", "8"], USAGE, ["--rules must be one of 10, 9, not '8'"]),
        (["--nonsense"], USAGE, ["--nonsense"]),
        (["-a"], USAGE, ["-a"]),
        (["-R", "diversity"], INPUT, ["-R must be one of qrels, qrels_jg, prefs, qrels_prefs"]),
        (["-T", "ntcir"], INPUT, ["-T must be one of trec_results, not 'ntcir'"]),
        (["-m", "P."], INPUT, ["no parameters after the dot of 'P.'"]),
        (["-m", "map.5"], INPUT, ["map takes no parameters"]),
        (["-m", "P.0"], INPUT, ["a cutoff is a whole number from 1", "'0'"]),
        (["-m", "P.-5"], INPUT, ["not '-5'"]),
        (["-m", "P.ten"], INPUT, ["not 'ten'"]),
        (["-m", "P.5,,10"], INPUT, ["not ''"]),
        (["-m", "P.5,5"], INPUT, ["'5,5' repeats a number"]),
        (["-m", "P.5,5.2"], INPUT, ["repeats a number"]),
        (["-m", "P.99999999999999999999"], INPUT, ["a cutoff is a whole number"]),
        (["-m", "iprec_at_recall..5,0.50"], INPUT, ["repeats a number"]),
        (["-m", "iprec_at_recall.half"], INPUT, ["'half' is not a finite number"]),
        (["-m", "ndcg.3"], INPUT, ["parameters are pairs such as 1=3", "ndcg.1=3,2=9"]),
        (["-m", "ndcg.1=x"], INPUT, ["'x' is not a finite number"]),
        (["-m", "ndcg.=3"], INPUT, ["pairs"]),
        (["-m", "ndcg.p=3"], INPUT, ["'p' in 'ndcg_p=3' is not a grade"]),
        (["-m", "rbp.0.5"], INPUT, ["pairs", "rbp.p=0.9"]),
        (["-m", "utility.1,2"], INPUT, ["utility takes 4 numbers, a, b, c, d, not 2"]),
        (["-m", "set_F.-1"], INPUT, ["the square of beta"]),
        (["-m", "set_F.nan"], INPUT, ["'nan' is not a finite number"]),
        (["-m", "iprec_at_recall.2"], USAGE, ["recall"]),
        (["-m", "map", "-R", "qrels_prefs"], CALCULATION, ["map cannot be calculated from -R qrels_prefs"]),
        (["-m", "prefs_simp"], CALCULATION, ["it needs -R prefs or -R qrels_prefs"]),
        (["-m", "map_avgjg"], CALCULATION, ["it needs -R qrels_jg"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_a_wrong_option_has_trec_evals_exit_code_and_says_what_is_allowed(
    words, status, told, trec_eval, files
):
    assert refused(trec_eval(*words, *files), status, *told)


@pytest.mark.parametrize("words", [[], ["qrels"], ["qrels", "run", "more"], ["-m"], ["-l", "1"]])
def test_too_few_or_too_many_words_are_bad_usage(words, trec_eval):
    assert refused(trec_eval(*words), USAGE, "usage: rankgauge")


@pytest.mark.parametrize(
    ("qrels", "run", "told"),
    [
        ("", RUN, ["qrels: the input has no rows"]),
        (QRELS, "", ["run: the input has no rows"]),
        (QRELS, "\n# no line\n", ["run: the input has no rows"]),
        ("1 0 a\n", RUN, ["qrels:1: expected 4 columns, found 3"]),
        ("1 0 a 1 more\n", RUN, ["qrels:1: expected 4 columns, found 5"]),
        ("1 0 a good\n", RUN, ["qrels:1:", '"good"']),
        (QRELS, "1 Q0 a 1 9 t\n1 Q0 b 2\n", ["run:2: expected 6 columns, found 4"]),
        (QRELS, "1 Q0 a 1 9 t and more\n1 Q0 b 2\n", ["run:2: expected 6 columns, found 4"]),
        (QRELS, "1 Q0 a 1 high t\n", ["run:1:", '"high"']),
        (QRELS, "1 Q0 a 1 nan t\n", ["run:1:", "nan"]),
        (QRELS, RUN + RUN, ['document "a" occurs twice in topic "1"']),
        (QRELS + QRELS, RUN, ['document "a" occurs twice in topic "1"']),
        (QRELS, b"\0\1\2\3", ["run:1:"]),
        (b"\x1f\x8b\x08 cut", RUN, ["archive"]),
    ],
)
def test_a_broken_file_is_exit_code_2_with_file_and_line(qrels, run, told, trec_eval, write):
    assert refused(trec_eval(write("qrels", qrels), write("run", run)), INPUT, *told)


def test_a_missing_file_is_exit_code_2(trec_eval, files, tmp_path):
    assert refused(trec_eval(tmp_path / "none", files[1]), INPUT, "none: no such file")
    assert refused(trec_eval(files[0], tmp_path / "none"), INPUT, "none: no such file")
    assert refused(trec_eval(files[0], tmp_path / "no folder" / "none"), INPUT, "none: no such file")
    assert refused(trec_eval(files[0], tmp_path), INPUT, "this is a directory")
    assert refused(trec_eval("-Z", tmp_path / "none", *files), INPUT, "none: no such file")


def test_judgments_in_the_place_of_the_run_are_told_apart(trec_eval, files):
    assert refused(trec_eval(files[0], files[0]), INPUT, "this line looks like judgments")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("1 map 0.5\n", "norms:1: expected 4 columns, found 3"),
        ("1 map 0.5 0.1 x\n", "norms:1: expected 4 columns, found 5"),
        ("1 map 0.5 0.1\n1 P_5 high 0.1\n", "norms:2: expected a mean and a standard deviation"),
        ("1 map 0.5 -1\n", "a deviation is not below 0"),
        ("1 map nan 1\n", "both are finite numbers"),
        ("", "the file has no rows"),
        ("1 map \0 1\n", "norms:1:"),
    ],
)
def test_a_broken_file_of_z_scores_is_exit_code_2(content, told, trec_eval, files, write):
    assert refused(trec_eval("-m", "map", "-Z", write("norms", content), *files), INPUT, told)


@pytest.mark.parametrize("form", FORMS)
def test_no_topic_in_common_is_exit_code_7(form, trec_eval, write):
    qrels = write("qrels", "x u 0 a 1\n" if form == "prefs" else "x u a 1\n")
    run = write("run", RUN)
    words = ("-m", "num_q", "-R", form)
    assert refused(trec_eval(*words, qrels, run), NOTHING_IN_COMMON, "no results for any judged topic")


def test_a_topic_to_debug_that_is_not_there_is_exit_code_7(trec_eval, files):
    assert refused(trec_eval("-D", "0.nine", *files), NOTHING_IN_COMMON, "'nine'")


def test_a_bug_is_no_traceback(trec_eval, files, monkeypatch):
    def broken(options):
        raise KeyError("x")

    monkeypatch.setattr("rankgauge.compat.trec_eval.output.report", broken)
    monkeypatch.delenv("RANKGAUGE_DEBUG", raising=False)
    assert refused(trec_eval(*files), 70, "this is a bug in rankgauge")


def test_a_reader_that_has_enough_is_no_error(files):
    command = [sys.executable, "-m", "rankgauge", "trec_eval", "-q", *map(str, files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        writer.stdout.close()
        assert writer.wait(timeout=60) in (0, 141)
        assert b"Traceback" not in writer.stderr.read()


texts = st.one_of(
    st.text(max_size=12),
    st.builds(
        "{}.{}".format,
        st.sampled_from([*MEASURES, "official"]),
        st.text(alphabet="0123456789.,=-+e p_", max_size=12),
    ),
)


@given(texts)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_asked_for_is_answered_or_refused(trec_eval, files, text):
    said = trec_eval(f"-m{text}", *files)
    assert said.status in (0, USAGE, INPUT, CALCULATION), (text, said)
    assert "Traceback" not in said.err


@given(st.binary(max_size=60), st.sampled_from(FORMS))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_in_a_file_is_read_or_refused(trec_eval, files, tmp_path, content, form):
    path = tmp_path / "junk"
    path.write_bytes(content)
    for words in ((path, files[1]), (files[0], path), ("-Z", path, *files)):
        said = trec_eval("-m", "num_q", "-R", form, *words)
        assert said.status in (0, INPUT, NOTHING_IN_COMMON), (content, said)
        assert "Traceback" not in said.err
