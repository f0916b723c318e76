"""Every difference from trec_eval that docs/how-to/from-trec-eval.md lists, under its title there."""

import gzip
import math
import re
import sys

import installed
import pages
import rankgauge
from compat.trec_eval.conftest import QRELS, RUN

PAGE = "how-to/from-trec-eval.md"
SECTIONS = ("## Where the output differs", "## Oddities that are kept")


def test_missing_topics(trec_eval, files):
    """A judged topic without results"""
    said = trec_eval("-q", "-m", "map", *files)
    assert said.status == 0
    assert {topic for _, topic, _ in said.lines} == {"1", "2", "all"}
    assert "note: 1 judged topic has no results and is left out" in said.err
    assert trec_eval("-q", "-m", "map", "--rules", "9", *files).out == said.out


def test_gains(trec_eval, write):
    """Gains with a fraction"""
    qrels = write("qrels", "1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 2\n")
    run = write("run", "1 Q0 c 1 4 t\n1 Q0 b 2 3 t\n1 Q0 a 3 2 t\n1 Q0 x 4 1 t\n")
    said = trec_eval("-m", "ndcg.1=0.9,2=0.4", qrels, run)
    assert said.values["ndcg_1=0.9,2=0.4", "all"] == "0.5678"
    assert "treats gains that differ by less than 1 as equal" in said.err
    assert trec_eval("-m", "ndcg.1=3,2=9", qrels, run).err == ""


def test_rbp(trec_eval, files):
    """The gains of rbp"""
    said = trec_eval("-q", "-m", "rbp", *files)
    assert (
        said.values["rbp", "1"] == f"{0.1 * (0.5 + 0.9**4):.4f}"
    )  # grades 1 and 2, of which 2 is the largest
    assert "rbp: gains are relative to the largest gain" in said.err


def test_lists(trec_eval, files):
    """Several lists of parameters"""
    said = trec_eval("-m", "P.5", "-m", "P.10,5", "-m", "set_F.1", "-m", "set_F.2", "-m", "set_F.1", *files)
    assert [name for name, _, _ in said.lines] == ["P_5", "P_10", "set_F_1", "set_F_2"]
    assert "P.5 P.10,5 are all evaluated" in said.err
    assert "set_F.1 set_F.2 are all evaluated" in said.err


def test_fractions(trec_eval, write, files):
    """Grades with a fraction"""
    qrels = write("floats", "1 0 a 0.5\n1 0 c 1.5\n")
    said = trec_eval("-q", "-m", "num_rel", "-m", "ndcg", "-m", "relstring", qrels, files[1])
    assert said.values["num_rel", "1"] == "1"
    assert "some grades are not whole numbers; they are used as they are" in said.err
    whole = write("whole", "1 0 a 5\n1 0 c 15\n")
    assert trec_eval("-q", "-m", "ndcg", whole, files[1]).values["ndcg", "1"] == said.values["ndcg", "1"]


def test_residual(trec_eval, write):
    """The residual of rbp"""
    qrels, run = write("qrels", "1 0 a 1\n1 0 b 0\n"), write("run", "1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n")
    said = trec_eval("-m", "rbp_resid", qrels, run)
    assert said.values["rbp_resid", "all"] == f"{0.9**2:.4f}"


def test_weights(trec_eval, files):
    """Weights for documents that are not retrieved"""
    said = trec_eval("-m", "utility.0,0,0,1", *files)
    assert (said.status, said.out) == (1, "")
    assert "needs" in said.err
    assert trec_eval("-m", "utility.0,0,1,0", *files).status == 0


def test_zeros(trec_eval, files):
    """A topic without results with -c"""
    said = trec_eval(
        *("-q", "-c", "-m", "utility.2,-1,5,0", "-m", "relstring.3", "-m", "rbp_resid.p=0.5", *files)
    )
    assert said.values["utility_2,-1,5,0", "3"] == "0.0000"
    assert said.values["relstring_3", "3"] == "''"
    assert said.values["rbp_resid_p=0.5", "3"] == "0.0000"
    said = trec_eval("-q", "-c", "-m", "num_rel", "-m", "ideal_dcg", "-m", "yaap", *files)
    assert said.values["num_rel", "3"] == "1"
    assert said.values["ideal_dcg", "3"] == "1.0000"
    assert said.values["yaap", "3"] == f"{math.log(1 / 2):.4f}"
    first, second = math.log(2.4 / 1.6), math.log(1.5 / 1.5)  # (1 + s) / (1 + R - s)
    assert said.values["yaap", "all"] == f"{(first + second + math.log(1 / 2)) / 3:.4f}"


def test_nothing_judged(trec_eval, write, files):
    """A topic without judged results with -J"""
    run = write("unjudged", RUN + "3 Q0 z 1 1 mine\n")
    measures = ("-m", "iprec_at_recall.0,1", "-m", "11pt_avg")
    for words in (("-c", files[0], files[1]), (files[0], run)):
        said = trec_eval("-q", "-J", *measures, *words)
        assert {value for (_, topic), value in said.values.items() if topic == "3"} == {"0.0000"}
        assert said.values["iprec_at_recall_0.00", "all"] == f"{2 / 3:.4f}"
        assert float(said.values["11pt_avg", "all"]) > 0


def test_one_topic_of_all(trec_eval, files):
    """One topic of -D with -c"""
    said = trec_eval("-c", "-D", "1.1", "-m", "num_q", "-m", "map", *files)
    assert said.values["num_q", "all"] == "1"  # trec_eval: 3, and a third of the value
    assert said.values["map", "all"] == trec_eval("-q", "-m", "map", *files).values["map", "1"]


def test_numbers(trec_eval, write, files):
    """Invalid numbers"""
    assert trec_eval(files[0], write("bad", RUN.replace(" 9 ", " high "))).status == 2
    assert trec_eval(write("worse", QRELS.replace(" 2\n", " x\n")), files[1]).status == 2
    assert trec_eval("-m", "P.5x", *files).status == 2
    assert trec_eval("-l", "one", *files).status == 1
    assert trec_eval("-m", "P.23.4", *files).lines[0][0] == "P_23"


def test_meaningless(trec_eval, files):
    """Meaningless numbers"""
    for words in (("-m", "ndcg.1=-1"), ("-l", "-1"), ("-M", "0"), ("-m", "official.5")):
        assert trec_eval(*words, *files).status == 1


def test_duplicates(trec_eval, write, files):
    """A document twice"""
    assert trec_eval(files[0], write("twice", RUN + "1 Q0 a 9 1 mine\n")).status == 2
    assert trec_eval(files[0], write("unjudged", RUN + "9 Q0 a 1 1 t\n9 Q0 a 2 1 t\n")).status == 2
    assert trec_eval(write("again", QRELS + "3 0 x 0\n"), files[1]).status == 2


def test_comments(trec_eval, write, files):
    """Comments and compressed files"""
    qrels = write("commented.gz", gzip.compress(f"# said\n\n{QRELS}".encode()))
    run = write("packed.gz", gzip.compress(f"# ran\n{RUN}".encode()))
    assert trec_eval("--rules", "9", "-q", qrels, run).out == trec_eval("--rules", "9", "-q", *files).out


def test_norms(trec_eval, write, files):
    """A broken file for -Z"""
    assert trec_eval("-Z", write("norms", "1 map\n"), *files).status == 2


def test_texts(trec_eval, files):
    """The texts of -h and of all messages"""
    assert "usage: rankgauge trec_eval" in trec_eval("-h").out
    assert "rankgauge" in trec_eval("-v").err
    assert trec_eval("-D", "6", "--quiet", *files) == trec_eval("--quiet", *files)


def test_number_of_relevant(trec_eval, files):
    """The number of relevant documents with -c"""
    for words in (("-l", "2"), ("-l", "0"), ("-D", "6.1"), ("--rules", "9", "-l", "3")):
        said = trec_eval("-q", "-c", "-m", "num_rel", *words, *files)
        assert said.values["num_rel", "all"] == "4"  # four judgments above 0 in all topics
    assert trec_eval("-q", "-c", "-l", "2", "-m", "num_rel", *files).values["num_rel", "1"] == "1"
    assert trec_eval("-l", "2", "-m", "num_rel", *files).values["num_rel", "all"] == "1"


def test_rndcg(trec_eval, write):
    """Rndcg with -l"""
    qrels = write("qrels", "1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    run = write("run", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    said = trec_eval("-q", "-l", "2", "-m", "Rndcg", qrels, run)
    assert [value for _, _, value in said.lines] == ["0.0000", "1.0000", "0.5000"]
    assert trec_eval("-q", "-m", "Rndcg", qrels, run).values["Rndcg", "1"] == "1.0000"


@installed.needs("tools")
def test_ties_in_preferences(trec_eval, write):
    """Ties between documents in preferences"""
    prefs = write("prefs", "1 u 0 a 2\n1 u 0 b 1\n")
    run = write("run", "1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n")
    assert trec_eval("-m", "prefs_simp_ret", "-R", "prefs", prefs, run).lines[0][2] == "1.0000"
    qrels = write("qrels", "1 0 a 1\n1 0 b 0\n")
    assert trec_eval("-m", "recip_rank", qrels, run).lines[0][2] == "0.5000"


@installed.needs("tools")
def test_balanced_groups(trec_eval, write):
    """prefs_avgjg_Rnonrel"""
    # R = 1, N = 3: of the three that are not relevant the first counts, against all four documents
    qrels = write("qrels", "1 0 a 1\n1 0 b 0\n1 0 c 0\n1 0 d 0\n")
    run = write("run", "1 Q0 a 1 4 t\n1 Q0 b 2 3 t\n1 Q0 c 3 2 t\n1 Q0 d 4 1 t\n")
    said = trec_eval("-m", "prefs_avgjg_Rnonrel", "-R", "qrels_prefs", qrels, run)
    assert said.lines[0][2] == f"{1 / 4:.4f}"  # a is before b; b, c and d are not before b


def test_geometric_means(trec_eval, write, files):
    """Geometric means"""
    said = trec_eval("-m", "gm_map", "-m", "gm_bpref", "-c", *files)
    assert said.values["gm_map", "all"] == f"{(0.7 * 0.5 * 1e-5) ** (1 / 3):.4f}"
    qrels = write("found nothing", "1 0 x 1\n2 0 x 1\n")
    assert trec_eval("-m", "gm_map", qrels, files[1]).values["gm_map", "all"] == f"{1e-5:.4f}"


def test_means(trec_eval, write):
    """Means"""
    # P_10 is 0.1 in seven of sixteen topics: 0.7 / 16 lies in the middle between two numbers of four digits
    topics = [f"t{number:02}" for number in range(16)]
    found = [topics[number] for number in (0, 3, 5, 8, 11, 13, 14)]
    qrels = write("qrels", "".join(f"{topic} 0 a 1\n" for topic in topics))
    run = write("run", "".join(f"{t} Q0 {'a' if t in found else 'z'} 1 1 t\n" for t in topics))
    assert trec_eval("-m", "P.10", qrels, run).lines[0][2] == "0.0437"
    assert f"{rankgauge.evaluate(qrels, run, 'P@10').mean()['run']['P@10']:.4f}" == "0.0438"


def test_every_difference_that_the_page_lists_is_shown_here():
    page = (pages.DOCS / PAGE).read_text(encoding="utf-8")
    listed = "".join(page.split(section)[1].split("\n## ")[0] for section in SECTIONS)
    titles = re.findall(r"^- \*(.+?)\*", listed, re.MULTILINE)
    here = vars(sys.modules[__name__])
    shown = [test.__doc__ for name, test in here.items() if name.startswith("test_") and test.__doc__]
    assert titles == shown
