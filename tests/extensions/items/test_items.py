"""Measures of recommended items, against slow twins from their definitions and values of other libraries."""

import itertools
import math
import random
from statistics import mean

import pytest

import rankgauge
from rankgauge import items
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.items.spec import MEASURES

CATALOGUE = [f"i{number}" for number in range(40)]
GENRES = "abcd"


class World:
    """Random lists for users, and what is known of users and items."""

    def __init__(self, seed):
        source = random.Random(seed)
        popular = [1 / (place + 1) ** 0.7 for place in range(len(CATALOGUE))]

        def draw(count):
            drawn = []
            while len(drawn) < count:
                item = source.choices(CATALOGUE, popular)[0]
                if item not in drawn:
                    drawn.append(item)
            return drawn

        self.genres = {item: source.sample(GENRES, source.randint(1, 3)) for item in CATALOGUE}
        users = [f"u{number}" for number in range(25)]
        self.seen = {user: draw(source.randint(2, 9)) for user in users}
        self.wanted = {user: draw(source.randint(1, 5)) for user in users}
        self.lists = {user: draw(12) for user in users}

    @property
    def given(self):
        return {
            "items": {item: {"genre": "|".join(its)} for item, its in self.genres.items()},
            "interactions": judgments(self.seen),
            "qrels": judgments(self.wanted),
        }

    def evaluate(self, measures, **others):
        return items.evaluate(self.lists, measures, **self.given | others)


def judgments(of_users):
    return {user: dict.fromkeys(its, 1) for user, its in of_users.items()}


def shares(world, its):
    """The share of each genre among items, several counted for an item that has them."""
    counts = [sum(genre in world.genres[item] for item in its) for genre in GENRES]
    return [count / sum(counts) for count in counts]


def attention(rank):
    return 1 / math.log2(max(rank, 2))


# Slow twins: one value for a user's list cut at k, or for all lists together.


def coverage(world, k):
    return len({item for its in world.lists.values() for item in its[:k]}) / len(CATALOGUE)


def gini(world, k):
    counts = [sum(item in its[:k] for its in world.lists.values()) for item in CATALOGUE]
    pairs = sum(abs(a - b) for a in counts for b in counts)
    return pairs / (2 * len(CATALOGUE) * sum(counts))


def times_seen(world, item):
    return sum(item in its for its in world.seen.values())


def miuf(world, user, k):
    users = len(world.seen)
    return mean(-math.log2(max(1, times_seen(world, item)) / users) for item in world.lists[user][:k])


def popularity(world, user, k):
    return mean(times_seen(world, item) for item in world.lists[user][:k])


def serendipity(world, user, k):
    levels = sorted({times_seen(world, item) for item in CATALOGUE} - {0}, reverse=True)
    n, total = len(CATALOGUE), 0.0
    for rank, item in enumerate(world.lists[user][:k], 1):
        times = times_seen(world, item)
        anyone = (n + 1 - (levels.index(times) + 1)) / n if times else 0
        total += max(0, (n + 1 - rank) / n - anyone) * (item in world.wanted[user])
    return total / k


def diversity(world, user, k):
    pairs = itertools.combinations([{*world.genres[item]} for item in world.lists[user][:k]], 2)
    return mean(1 - len(a & b) / len(a | b) for a, b in pairs)


def fairness(world, user, k):
    given = [0.0] * len(GENRES)
    for rank, item in enumerate(world.lists[user][:k], 1):
        for place, genre in enumerate(GENRES):
            given[place] += attention(rank) * (genre in world.genres[item])
    given, due = [each / sum(given) for each in given], shares(world, world.wanted[user])
    middle = [(p + q) / 2 for p, q in zip(given, due, strict=True)]
    return 1 - sum(
        p * math.log(p / m) / 2 for each in (given, due) for p, m in zip(each, middle, strict=True) if p
    )


def exposure_loss(world, user, k):
    m, weights = len(world.wanted[user]), [attention(rank) for rank in range(1, k + 1)]
    due = [sum(weights[:m]) / m if item in world.wanted[user] else 0.0 for item in CATALOGUE]
    due = [each or sum(weights[m:]) / (len(CATALOGUE) - m) for each in due]
    places = {item: rank for rank, item in enumerate(world.lists[user][:k])}
    got = [weights[places[item]] if item in places else 0.0 for item in CATALOGUE]
    return sum((a - b) ** 2 for a, b in zip(got, due, strict=True))


def auc(world, user):
    its, wanted = world.lists[user], world.wanted[user]
    pairs = [(a, b) for a in range(12) for b in range(12) if its[a] in wanted and its[b] not in wanted]
    return (mean(a < b for a, b in pairs), sum(item in wanted for item in its)) if pairs else (0.0, 0)


def test_gauc_leaves_out_users_who_want_all_or_nothing_of_their_list():
    lists = {"all": ["a", "b"], "none": ["c", "d"], "some": ["a", "c"]}
    wanted = {"all": {"a": 1, "b": 1}, "none": {"a": 1}, "some": {"c": 1}, "without a list": {"a": 1}}
    lists["other"] = ["a", "b", "c"]
    wanted["other"] = {"a": 1, "c": 1}
    assert items.evaluate(lists, "GAUC", qrels=wanted).mean()["run"]["GAUC"] == (0 * 1 + 0.5 * 2) / 3


def test_cells_without_a_value_are_in_no_group():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"item": ["a", "b", "c"], "g": ["x", float("nan"), None]})
    scores = items.evaluate({"q": ["a", "b", "c"]}, "AWRF(by=g,target=equal)@3", items=table)
    assert scores.values.tolist() == [[[1.0]]]  # a group of such cells would have two thirds of the ranks
    table = pandas.DataFrame({"item": ["a", float("nan")]})
    with pytest.raises(InputError, match=r'row 2 .* has no id in column "item"'):
        items.evaluate({"q": ["a"]}, "Coverage@1", items=table)


def test_users_interacted_with_items_of_grades_above_0():
    seen = {"u": {"a": 0, "b": 1}, "v": {"b": 1}, "w": {"a": -1}}
    assert items.evaluate({"q": ["a"]}, "Popularity@1", interactions=seen).values.tolist() == [[[0.0]]]
    assert items.evaluate({"q": ["b"]}, "MIUF@1", interactions=seen).values.tolist() == [[[0.0]]]


@pytest.mark.parametrize("by", ["", "by=g,target=items,"])
def test_ideal_exposure_ends_with_the_catalogue(by):
    given = {"items": {item: {"g": item} for item in "abc"}, "qrels": {"q": dict.fromkeys("abc", 1)}}
    lists = {f"q.{n}": [*order] for n, order in enumerate(itertools.permutations("abc"))}
    if not by:
        given["qrels"] = {"q": {"a": 1}}
        lists = {f"q.{n}": order for n, order in enumerate((["a", "b", "c"], ["a", "c", "b"]))}
    scores = items.evaluate(lists, f"EE_L({by}attention=RBP(p=0.5))@10", **given, repeats=".")
    assert scores.values[0, 0, 0] == pytest.approx(0, abs=1e-12)


def test_ids_of_a_catalogue_may_be_whole_numbers():
    assert items.evaluate({"q": [1, 2]}, "Coverage@2", items=[1, 2, 3, 4]).mean()["run"]["Coverage@2"] == 0.5


@pytest.mark.parametrize("seed", range(3))
def test_every_measure_is_its_slow_twin(seed):
    world = World(seed)
    twins = {
        "MIUF@5": miuf,
        "Popularity@5": popularity,
        "Serendipity@5": serendipity,
        "ILD(by=genre)@5": diversity,
        "AWRF(by=genre)@5": fairness,
        "EE_L@5": exposure_loss,
    }
    scores = world.evaluate([*twins, "Coverage@5", "Gini@5", "GAUC"])
    for row, (measure, twin) in enumerate(twins.items()):
        expected = [twin(world, user, 5) for user in scores.topics]
        assert scores.values[0, row].tolist() == pytest.approx(expected, abs=1e-12), measure
    means = scores.mean()["run"]
    assert means["Coverage@5"] == pytest.approx(coverage(world, 5))
    assert means["Gini@5"] == pytest.approx(gini(world, 5))
    by_user = [auc(world, user) for user in world.lists]
    expected = sum(value * weight for value, weight in by_user) / sum(weight for _, weight in by_user)
    assert means["GAUC"] == pytest.approx(expected)


# RecTools 0.19, RecBole 1.2.1 and RecPack 0.3.6 on World(4), and the formulas of TREC 2021's script.
PUBLISHED = {
    "Coverage@5": 0.875,
    "Gini@10": 0.3616,
    "MIUF@5": 2.6099205338776166,
    "Popularity@7": 5.405714285714286,
    "Popularity(share=true)@7": 0.03861224489795918,
    "Serendipity@5": 0.005,
    "ILD(by=genre)@6": 0.6993333333333331,
    "ILD(by=genre,distance=hamming)@6": 2.016 / 4,
    "GAUC": 0.5183654729109275,
    "AWRF(by=genre)@10": 0.8279486565460147,
    "EE_L(by=genre)@10": 13.559008255505123,
    "EE_D(by=genre)@10": 23.97677986013763,
    "EE_R(by=genre)@10": 12.683307679447033,
}


def test_values_are_those_of_other_libraries():
    means = World(4).evaluate([*PUBLISHED]).mean()["run"]
    assert means == pytest.approx(PUBLISHED, abs=1e-14)


def test_sums_corrected_by_propensities_are_those_of_recpack():
    world = World(4)
    corrected = items.inverse_propensities(judgments(world.wanted))
    assert rankgauge.evaluate(corrected, world.lists, "CG@5").mean()["run"]["CG@5"] == pytest.approx(
        9.692857142857143
    )
    assert items.inverse_propensities({"q": {"a": 1, "b": 0}}, {"q": {"c": 1}}, cap=7).to_dict() == {
        "q": {"a": 7, "b": 0}
    }


def test_names_in_other_libraries_and_texts_read_back():
    assert str(items.parse("MeanInvUserFreq@5")) == "MIUF@5"
    for measure in MEASURES.values():
        required = {p.name: "genre group" for p in measure.parameters if p.required}
        text = str(measure._replace(settings=required, cutoff=5 if measure.cut else None))
        assert str(items.parse(text)) == text
    assert str(items.parse("AWRF(by=g,attention=RBP(p=0.8))@5")) == "AWRF(by=g,attention=RBP(p=0.8))@5"


def test_several_lists_of_a_topic_share_exposure():
    given = {"items": ["a", "b", "c"], "qrels": {"q": {"a": 1, "b": 1}}, "repeats": "."}
    lists = {"q.1": ["a", "b"], "q.2": ["b", "a"]}
    scores = items.evaluate(lists, "EE_L(attention=RBP(p=0.5))@2 EE_D(attention=RBP(p=0.5))@2", **given)
    assert scores.topics == ("q",)
    assert scores.values[0, :, 0].tolist() == [0.0, 2 * 0.375**2]
    scores = items.evaluate({"q": ["a", "b"]}, "EE_L(attention=RBP(p=0.5))@2", **given)
    assert scores.values[0, 0, 0] == 2 * 0.125**2


def test_targets_may_be_given():
    table = {"a": {"g": "x"}, "b": {"g": "y"}}
    lists = {"q": ["a"], "r": ["b"]}
    measure = "AWRF(by=g,base=2)@1"
    scores = items.evaluate(lists, measure, items=table, targets={"x": 2})
    assert scores.values[0, 0].tolist() == [1.0, 0.0]
    by_topic = {"q": {"y": 1}, "r": {"y": 1}}
    assert items.evaluate(lists, measure, items=table, targets=by_topic).values[0, 0].tolist() == [0.0, 1.0]


def test_a_user_without_a_list_is_missing_and_without_wanted_items_undefined():
    given = {
        "items": {"a": {"g": "x"}, "b": {"g": ""}},
        "qrels": {"q": {"a": 1}, "r": {"b": 0}, "s": {"a": 1}},
    }
    scores = items.evaluate({"q": ["a"], "r": ["a"]}, "AWRF(by=g)@3", **given, missing="skip")
    assert scores.values[0, 0, 0] == 1.0
    assert all(map(math.isnan, scores.values[0, 0, 1:].tolist()))
    assert scores.counted[0].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("measures", "options", "error", "words"),
    [
        ("MIUF@5", {}, MeasureError, "needs earlier interactions"),
        ("ILD@5", {"items": ["i1"]}, MeasureError, "ILD needs by"),
        ("ILD(by=genre)@5", {"items": {"i1": {"g": "x"}, "i2": {"g": "y"}}}, InputError, "column .*genre"),
        ("Coverage@5", {"items": ["i1"]}, InputError, "recommends .*not in the table of items"),
        (
            "Coverage@5",
            {"items": {"item": ["i1", "i1"]}},
            InputError,
            "i1.* is in the table of items twice",
        ),
        ("Coverage@5", {"items": {"x": ["i1"]}}, InputError, "no column has the ids of items"),
        ("AWRF(by=g)@5", {"items": {"i1": {"g": 1}, "i2": {"g": 2}}}, MeasureError, "needs judgments"),
        ("EE_L", {"items": ["i1", "i2"], "qrels": {"u": {"i1": 1}}}, MeasureError, "needs a cutoff"),
        ("GAUC@5", {"qrels": {"u": {"i1": 1}}}, MeasureError, "takes no cutoff"),
        ("Coverage@0", {"items": ["i1"]}, OptionError, "cutoff"),
        ("Covrage@5", {}, MeasureError, "did you mean Coverage"),
        (None, {}, MeasureError, "not None"),
        (["Coverage@5", 5], {}, MeasureError, "not 5"),
        ("Coverage@5", {"items": []}, InputError, "has no rows"),
        *(
            (
                "AWRF(by=g)@5",
                {"items": {"i1": {"g": "x"}, "i2": {"g": "y"}}, "targets": targets},
                error,
                words,
            )
            for targets, error, words in [
                ({}, OptionError, "targets are shares such as"),
                ([1], OptionError, "targets are shares such as"),
                ({"x": "1"}, InputError, "target of group 'x' is '1'"),
                ({"x": math.inf}, InputError, "finite number"),
            ]
        ),
        ("Popularity(x=1)@5", {}, OptionError, "share"),
        (
            "AWRF(by=g,target=equal,attention=AP)@5",
            {"items": {"i1": {"g": 1}, "i2": {"g": 2}}},
            MeasureError,
            "no sum over ranks",
        ),
    ],
)
def test_wrong_input_is_refused_in_words(measures, options, error, words):
    with pytest.raises(error, match=words):
        items.evaluate({"u": ["i1", "i2"]}, measures, **options)
