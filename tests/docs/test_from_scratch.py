"""Every number of "Measures from scratch", again from the definitions, in plain Python.

A table of the page is known by its headers, and each of its cells is computed here a second time. A
calculation in backticks, `5 / 6 = 0.833`, is carried out. Other text of the page has no decimal numbers.
"""

import ast
import math
import operator
import re
from itertools import accumulate

import pytest

import pages
from rankgauge import examples

PAGE = "docs/measures-from-scratch.md"
FIRST_PAGE, ALL = 10, 15  # documents on the first page of results, and on both


# The page: its tables, calculations and files.


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def tables(text):
    """{headers: rows} of the tables of a page."""
    found = {}
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        headers, _, *rows = map(cells, block.splitlines())
        assert headers not in found, f"two tables have the headers {headers}"
        found[headers] = rows
    return found


def prose(text):
    """What is neither a table nor a fenced block."""
    return re.sub(r"^\|.*\n", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)


def spans(text):
    """The code spans of a page."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def calculations(text):
    """[(expression, result as printed)] of the code spans that are calculations."""
    found = [span.rpartition(" = ") for span in spans(text)]
    return [(left, right) for left, equals, right in found if equals and re.fullmatch(r"[−\d.]+", right)]


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def calculate(expression):
    """The value of an expression with + − × / and log2."""

    def value(node):
        match node:
            case ast.BinOp():
                return OPERATORS[type(node.op)](value(node.left), value(node.right))
            case ast.UnaryOp(op=ast.USub()):
                return -value(node.operand)
            case ast.Call(func=ast.Name(id="log2"), args=[argument]):
                return math.log2(value(argument))
            case ast.Constant(value=int() | float()):
                return node.value
        raise ValueError(f"not a calculation: {expression}")

    written = expression.replace("−", "-").replace("×", "*")
    return value(ast.parse(written, mode="eval").body)


def as_printed(value, result):
    """A value with as many decimals as a printed result has."""
    return f"{value:.{len(result.partition('.')[2])}f}".replace("-", "−")


@pytest.fixture(scope="module")
def page():
    return pages.read(PAGE)


def documents(text):
    """[(document, grade, subtopics)] by rank, as the two lists of results on the page have them."""
    of_page = tables(text)
    rows = (
        of_page["rank", "document", "grade", "subtopics"] + of_page["rank", "second page", "grade", "about"]
    )
    return [(document, int(grade), set(about.split()) - {"–"}) for _, document, grade, about in rows]


# The measures, from their definitions.


def three(value):
    return f"{value:.3f}"


def whole(value):
    return str(value).replace("-", "−")


def log2_discount(rank):
    return math.log2(1 + rank)


def discount_of_2002(rank):
    return 1.0 if rank < 2 else math.log2(rank)


def discounted(gains, discount):
    return [gain / discount(rank) for rank, gain in enumerate(gains, 1)]


def dcg(gains, discount=log2_discount):
    return list(accumulate(discounted(gains, discount)))


def shares(values, best):
    return [value / ideal for value, ideal in zip(values, best, strict=False)]


def blended(grades, best, beta=1):
    gains, hits = list(accumulate(grades)), list(accumulate(int(grade > 0) for grade in grades))
    ideal = list(accumulate([*best, *[0] * len(grades)]))
    return [
        (beta * gain + hit) / (beta * most + rank)
        for rank, (gain, hit, most) in enumerate(zip(gains, hits, ideal, strict=False), 1)
    ]


def mean_at_relevant(values, grades, base):
    return sum(value for value, grade in zip(values, grades, strict=True) if grade > 0) / base


def novel(ranking, alpha=0.5):
    """[(times each subtopic was seen before, gain)] of sets of subtopics, in rank order."""
    seen, found = {}, []
    for about in ranking:
        before = [seen.get(subtopic, 0) for subtopic in sorted(about)]
        found.append((before, sum((1 - alpha) ** times for times in before)))
        for subtopic in about:
            seen[subtopic] = seen.get(subtopic, 0) + 1
    return found


def greedy(about, alpha=0.5):
    """The documents in the order in which each adds the most, the first by name of several."""
    chosen = []
    while len(chosen) < len(about):
        left = sorted(set(about) - set(chosen))
        gains = {d: novel([about[c] for c in [*chosen, d]], alpha)[-1][1] for d in left}
        chosen.append(max(left, key=lambda d: (gains[d], -left.index(d))))
    return chosen


def intervals(best, length):
    """{grade: (first, last rank)} in the ideal ranking, padded with 0 to a length."""
    ideal = [*best, *[0] * (length - len(best))]
    return {g: (ideal.index(g) + 1, length - ideal[::-1].index(g)) for g in ideal}


def positions(grades, best, length):
    """The relative position at each of `length` ranks."""
    where = intervals(best, length)
    found = []
    for rank, grade in enumerate([*grades, *[0] * (length - len(grades))], 1):
        first, last = where[grade]
        found.append(rank - first if rank < first else max(0, rank - last))
    return found


def effort(grades, best):
    """s⁺, s⁻, σ⁺, σ⁻, σ, β, ρ and Twist of a ranking of at most twice as many documents as are relevant."""
    base, length = len(best), 2 * len(best)
    own = positions(grades, best, length)
    full = positions(sorted([*best, *[0] * (length - base)]), best, length)
    forward, backward = sum(x for x in own if x > 0), -sum(x for x in own if x < 0)
    sigma_forward = 1 - forward / sum(x for x in full if x > 0)
    sigma_backward = 1 + backward / sum(x for x in full if x < 0)
    sigma = 2 * sigma_forward * sigma_backward / (sigma_forward + sigma_backward)
    crp = list(accumulate(own))
    returns = [rank for rank in range(1, length) if crp[rank - 1] < 0 <= crp[rank]]
    balance = max(base, returns[0]) if returns else math.inf
    return (
        forward,
        backward,
        sigma_forward,
        sigma_backward,
        sigma,
        balance,
        base / balance,
        (base / balance + sigma) / 2,
    )


# The tables of the page, computed: {headers: function of the documents that returns the rows}.

EXPECTED = {}


def table(*headers):
    def register(function):
        EXPECTED[headers] = function
        return function

    return register


class Case:
    """What the tables are computed from."""

    def __init__(self, listed):
        self.documents = listed
        self.all_grades = [grade for _, grade, _ in listed]
        self.grades = self.all_grades[:FIRST_PAGE]
        self.best = sorted((grade for grade in self.all_grades if grade), reverse=True)
        self.base = len(self.best)
        self.about = [about for _, _, about in listed]
        self.hits = list(accumulate(int(grade > 0) for grade in self.grades))
        self.judged = {document: about for document, _, about in listed if about}

    def ideal_subtopics(self, alpha=0.5):
        return [self.judged[document] for document in greedy(self.judged, alpha)]

    def alpha_ndcg(self, alpha):
        found = dcg([gain for _, gain in novel(self.about[:FIRST_PAGE], alpha)])
        best = dcg([gain for _, gain in novel(self.ideal_subtopics(alpha), alpha)])
        return shares(found, best)


def ranked(*columns):
    """Rows of the ranks and of these columns of texts."""
    return [(str(rank), *row) for rank, row in enumerate(zip(*columns, strict=True), 1)]


@table("rank", "document", "grade", "subtopics")
def first_page(case):
    paper = examples.load("jarvelin-2002")
    scores = paper.runs["G"]["1"]
    grades = [paper.qrels["1"][document] for document in sorted(scores, key=scores.get, reverse=True)]
    names = [f"d{rank:02}" for rank in range(1, FIRST_PAGE + 1)]
    return ranked(names, map(str, grades), map(subtopics_as_text, case.about[:FIRST_PAGE]))


@table("rank", "second page", "grade", "about")
def second_page(case):
    about = case.about[FIRST_PAGE:]
    return [
        (str(rank), f"d{rank}", str(len(each)), subtopics_as_text(each))
        for rank, each in enumerate(about, FIRST_PAGE + 1)
    ]


def subtopics_as_text(about):
    return " ".join(sorted(about)) or "–"


@table("rank", "grade", "CG", "ideal grade", "ideal CG", "nCG")
def cumulated_gain(case):
    gain, ideal = list(accumulate(case.grades)), list(accumulate(case.best))
    return ranked(
        map(str, case.grades),
        map(str, gain),
        map(str, case.best),
        map(str, ideal),
        map(three, shares(gain, ideal)),
    )


@table("rank", "gain", "discount", "gain / discount", "DCG")
def discounted_gain(case):
    return ranked(
        map(str, case.grades),
        map(three, map(log2_discount, range(1, FIRST_PAGE + 1))),
        map(three, discounted(case.grades, log2_discount)),
        map(three, dcg(case.grades)),
    )


@table("rank", "ideal gain", "ideal gain / discount", "ideal DCG", "DCG", "nDCG")
def normalised(case):
    found, best = dcg(case.grades), dcg(case.best)
    return ranked(
        map(str, case.best),
        map(three, discounted(case.best, log2_discount)),
        map(three, best),
        map(three, found),
        map(three, shares(found, best)),
    )


@table("rank", "divisor of 2002", "DCG", "ideal DCG", "nDCG")
def as_in_2002(case):
    found, best = dcg(case.grades, discount_of_2002), dcg(case.best, discount_of_2002)
    return ranked(
        map(three, map(discount_of_2002, range(1, FIRST_PAGE + 1))),
        map(three, found),
        map(three, best),
        map(three, shares(found, best)),
    )


@table("rank", "relevant", "hits", "precision")
def precisions(case):
    found = [hit / rank for rank, hit in enumerate(case.hits, 1)]
    return ranked(
        ("yes" if grade else "no" for grade in case.grades),
        map(str, case.hits),
        (three(p) if grade else "–" for p, grade in zip(found, case.grades, strict=True)),
    )


@table("rank", "CG + hits", "ideal CG + rank", "blended ratio", "precision")
def blended_ratios(case):
    gain, ideal = accumulate(case.grades), accumulate(case.best)
    rows = zip(gain, case.hits, ideal, case.grades, strict=True)
    return [
        (
            str(rank),
            f"{cg} + {hits} = {cg + hits}",
            f"{best} + {rank} = {best + rank}",
            three((cg + hits) / (best + rank)),
            three(hits / rank),
        )
        for rank, (cg, hits, best, grade) in enumerate(rows, 1)
        if grade
    ]


@table("rank", "subtopics", "seen before", "worth", "gain")
def novelty(case):
    rows = []
    for rank, (before, gain) in enumerate(novel(case.about[:FIRST_PAGE]), 1):
        worth = " + ".join(f"{0.5**times:g}" for times in before)
        seen = " ".join(f"{times}×" for times in before)
        rows.append(
            (str(rank), subtopics_as_text(case.about[rank - 1]), seen or "–", worth or "–", f"{gain:g}")
        )
    return rows


@table("rank", "ideal document", "subtopics", "ideal gain")
def novel_ideal(case):
    order = greedy(case.judged)
    gains = [f"{gain:g}" for _, gain in novel([case.judged[document] for document in order])]
    return ranked(order, (subtopics_as_text(case.judged[document]) for document in order), gains)


@table("rank", "gain / discount", "α-DCG", "ideal α-DCG", "α-nDCG")
def novelty_discounted(case):
    gains = [gain for _, gain in novel(case.about[:FIRST_PAGE])]
    best = [gain for _, gain in novel(case.ideal_subtopics())]
    return ranked(
        map(three, discounted(gains, log2_discount)),
        map(three, dcg(gains)),
        map(three, dcg(best)),
        map(three, shares(dcg(gains), dcg(best))),
    )


@table("grade", "ideal ranks")
def ideal_ranks(case):
    where = intervals(case.best, 2 * case.base)
    return [(str(grade), f"{where[grade][0]} to {where[grade][1]}") for grade in (3, 2, 1, 0)]


@table("rank", "grade", "belongs at", "RP", "CRP")
def relative_positions(case):
    where = intervals(case.best, 2 * case.base)
    own = positions(case.grades, case.best, 2 * case.base)[:FIRST_PAGE]
    return ranked(
        map(str, case.grades),
        (f"{where[grade][0]} to {where[grade][1]}" for grade in case.grades),
        map(whole, own),
        map(whole, accumulate(own)),
    )


@table("rank", "grade", "RP", "CRP")
def relative_positions_of_the_second_page(case):
    own = positions(case.all_grades, case.best, 2 * case.base)
    rows = ranked(map(whole, own), map(whole, accumulate(own)))
    return [(rank, str(case.all_grades[int(rank) - 1]), *row) for rank, *row in rows[FIRST_PAGE:ALL]]


@table("full-scale ranks", "grade", "RP", "sum")
def full_scale(case):
    grades = sorted([*case.best, *[0] * case.base])
    own = positions(grades, case.best, 2 * case.base)
    rows = []
    for grade in range(4):
        ranks = [rank for rank, other in enumerate(grades, 1) if other == grade]
        steps = [own[rank - 1] for rank in ranks]
        rows.append(
            (f"{ranks[0]} to {ranks[-1]}", str(grade), " ".join(map(whole, steps)), whole(sum(steps)))
        )
    return rows


@table("run", "s⁺", "s⁻", "σ⁺", "σ⁻", "σ", "β", "ρ", "Twist")
def twist(case):
    rows = []
    for name, grades in (("first", case.grades), ("both", case.all_grades)):
        forward, backward, *ratios, balance, rho, value = effort(grades, case.best)
        rows.append(
            (
                name,
                str(forward),
                str(backward),
                *map(three, ratios),
                "∞" if math.isinf(balance) else str(balance),
                three(rho),
                three(value),
            )
        )
    return rows


def values(case):
    """{measure: value for the first page of results}, of all measures of the page."""
    ratios = blended(case.grades, case.best)
    precision = [hit / rank for rank, hit in enumerate(case.hits, 1)]
    return {
        "nCG@10": shares(accumulate(case.grades), accumulate(case.best))[-1],
        "nDCG@10": shares(dcg(case.grades), dcg(case.best))[-1],
        "AP": mean_at_relevant(precision, case.grades, case.base),
        "Q": mean_at_relevant(ratios, case.grades, case.base),
        "alpha_nDCG@10": case.alpha_ndcg(0.5)[-1],
        "Twist": effort(case.grades, case.best)[-1],
    }


@table("measure", "value")
def summary(case):
    return [(f"`{measure}`", three(value)) for measure, value in values(case).items()]


def answers(case):
    """{number of an exercise: its answer}."""
    swapped = [case.grades[0], case.grades[2], case.grades[1]]
    exp2 = [2**grade - 1 for grade in case.grades]
    best_exp2 = [2**grade - 1 for grade in case.best]
    strict = [max(0, grade - 1) for grade in case.grades]
    strict_hits = accumulate(int(grade > 0) for grade in strict)
    precision = [hit / rank for rank, hit in enumerate(strict_hits, 1)]
    later = [*case.all_grades]
    later[9], later[10] = later[10], later[9]
    return {
        1: dcg(swapped)[2] - dcg(case.grades)[2],
        2: shares(dcg(exp2), dcg(best_exp2))[2],
        3: mean_at_relevant(precision, strict, sum(grade > 1 for grade in case.best)),
        4: blended(case.grades, case.best, beta=10)[5],
        5: case.alpha_ndcg(0)[-1],
        6: effort(later, case.best)[-1],
    }


@table("exercise", "answer")
def solutions(case):
    return [(str(number), three(value)) for number, value in answers(case).items()]


# The tests.


def wrong_tables(text):
    """The headers of the tables that are not as computed."""
    case = Case(documents(text))
    return [headers for headers, rows in tables(text).items() if rows != EXPECTED[headers](case)]


def wrong_calculations(text):
    """The calculations that have another result."""
    return [
        (left, right) for left, right in calculations(text) if as_printed(calculate(left), right) != right
    ]


def test_every_table_has_the_values_of_the_definitions(page):
    assert tables(page).keys() == EXPECTED.keys()
    assert not wrong_tables(page)


def test_every_calculation_is_right(page):
    assert len(calculations(page)) > 25
    assert not wrong_calculations(page)


def test_prose_has_no_decimal_number_that_is_not_computed(page):
    text = re.sub(r"`[^`\n]+`", "", prose(page))
    assert not re.findall(r".*\d\.\d.*", text)
    # A code span with a decimal number is a calculation, or an option of a measure.
    others = {s for s in spans(page) if re.search(r"\d\.\d", s)} - {
        f"{a} = {b}" for a, b in calculations(page)
    }
    assert not [span for span in others if not re.search(r"=\d\.\d", span)]


def test_the_grade_of_a_document_is_the_number_of_its_subtopics(page):
    assert all(grade == len(about) for _, grade, about in documents(page))


def test_the_files_of_the_page_are_its_tables(page):
    listed = documents(page)
    judgments, subtopics = (
        re.search(rf"^\$ printf '1 {line}\\n' (.*) > {name}$", page, flags=re.M)[1].split()
        for line, name in (("0 d%s %s", "qrels.txt"), ("%s d%s 1", "subtopics.txt"))
    )
    assert judgments == [word for document, grade, _ in listed for word in (document[1:], str(grade))]
    pairs = [(subtopic, document[1:]) for document, _, about in listed for subtopic in sorted(about)]
    assert subtopics == [word for pair in pairs for word in pair]


PICTURES = ("gains", "cg", "discount", "ndcg", "blended", "subtopics", "crp")


@pytest.fixture
def pictures(monkeypatch):
    """The script that draws the pictures."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    return pages.script("from_scratch", monkeypatch)


def labels(picture):
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def test_the_pictures_are_those_that_the_page_shows_and_all_together_are_small(pictures, page):
    files = sorted((pages.DOCS / "from-scratch").iterdir())
    assert sorted(pictures.CHARTS) == [file.stem for file in files] == sorted(PICTURES)
    assert [f"from-scratch/{file.name}" in page for file in files] == [True] * len(files)
    assert sum(file.stat().st_size for file in files) < 100_000


def test_the_pictures_show_the_documents_of_the_page(pictures, page):
    listed = documents(page)
    assert [*pictures.GRADES] == [grade for _, grade, _ in listed]
    assert [set(held) for held in pictures.SUBTOPICS] == [about for _, _, about in listed]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_up_to_date(name, pictures):
    drawn = (pages.DOCS / "from-scratch" / f"{name}.svg").read_text(encoding="utf-8")
    assert labels(drawn) == labels(pictures.draw(name))
    assert labels(drawn)
