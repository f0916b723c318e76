"""The files of a simulated campaign."""

import gzip
import hashlib
import itertools
import subprocess
import sys

import pytest

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.simulation import simulate, topics


def content(campaign, directory, **options):
    """{file: bytes} of a campaign that is written."""
    written = campaign.write(directory, **options)
    return {str(file.path.relative_to(directory)): file.path.read_bytes() for file in written}


def small(**options):
    return simulate(**{"topics": 7, "depth": 40, "systems": 7, "subtopics": 3, "ties": 0.2, **options})


def test_the_files_have_the_names_and_lines_that_are_reported(tmp_path):
    written = small(systems=2).write(tmp_path / "new" / "place")
    assert [str(file.path.relative_to(tmp_path / "new" / "place")) for file in written] == [
        "qrels.txt",
        "qrels.diversity.txt",
        "runs/bm25.run",
        "runs/dense.run",
    ]
    for file in written:
        assert file.path.read_bytes().count(b"\n") == file.rows
    assert [file.rows for file in written[2:]] == [280, 280]


def test_the_files_hold_what_the_dicts_hold(tmp_path):
    campaign = small(missing=0.2, short=0.3)
    campaign.write(tmp_path)
    qrels: dict[str, dict[str, int]] = {topic: {} for topic in campaign.topics}
    for line in (tmp_path / "qrels.txt").read_text().splitlines():
        topic, iteration, document, grade = line.split(" ")
        assert iteration == "0"
        qrels[topic][document] = int(grade)
    assert qrels == campaign.qrels_dict()
    subtopics: dict[str, dict[str, dict[str, int]]] = {topic: {} for topic in campaign.topics}
    for line in (tmp_path / "qrels.diversity.txt").read_text().splitlines():
        topic, subtopic, document, grade = line.split(" ")
        subtopics[topic].setdefault(subtopic, {})[document] = int(grade)
    assert subtopics == campaign.subtopics_dict()
    for name in campaign.systems:
        run: dict[str, dict[str, float]] = {}
        for line in (tmp_path / "runs" / f"{name}.run").read_text().splitlines():
            topic, q0, document, rank, score, tag = line.split(" ")
            assert (q0, tag) == ("Q0", name)
            scores = run.setdefault(topic, {})
            scores[document] = float(score)
            assert int(rank) == len(scores)
        assert run == campaign.run_dict(name)


def test_the_same_seed_makes_the_same_bytes_on_every_machine(tmp_path):
    files = content(small(missing=0.1, short=0.1), tmp_path)
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()
    assert digest == "63548c81f03f3aff7c924eab1e123231390858f63b08266026a5a9542491cfbf"


@pytest.mark.parametrize("shuffle", ["none", "lines", "topics"])
def test_how_many_topics_are_made_at_a_time_is_invisible(tmp_path, monkeypatch, shuffle):
    campaign = small(missing=0.1, short=0.1)
    files = content(campaign, tmp_path, shuffle=shuffle)
    for batch in (1, 500):
        monkeypatch.setattr(topics, "_BATCH", batch)
        assert content(campaign, tmp_path, shuffle=shuffle, force=True) == files


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_order_has_the_same_lines(tmp_path, missing):
    campaign = small(missing=missing, short=missing, systems=3)
    orders = {
        order: content(campaign, tmp_path / order, shuffle=order) for order in ("none", "lines", "topics")
    }
    for name, plain in orders["none"].items():
        for order in ("lines", "topics"):
            shuffled = orders[order][name]
            assert sorted(shuffled.splitlines()) == sorted(plain.splitlines())
            assert (shuffled == plain) == name.startswith("qrels")


def topics_and_ranks(text):
    return [(line.split()[0], int(line.split()[3])) for line in text.splitlines()]


def test_lines_are_shuffled_within_their_topic_or_over_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.extensions.studies.simulation.campaign._BUCKET", 100)  # several buckets
    campaign = small(systems=1)
    within = topics_and_ranks(content(campaign, tmp_path, shuffle="lines")["runs/bm25.run"])
    assert [topic for topic, _ in within] == [
        topic for topic in map(str.encode, campaign.topics) for _ in range(40)
    ]
    assert [rank for _, rank in within] != list(range(1, 41)) * 7
    over = topics_and_ranks(content(campaign, tmp_path, shuffle="topics", force=True)["runs/bm25.run"])
    assert sorted(over) == sorted(within)
    changes = sum(a[0] != b[0] for a, b in itertools.pairwise(over))
    assert changes > 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels.diversity.txt", "qrels.txt", "runs"]


def test_compressed_files_hold_the_same_lines(tmp_path):
    plain = content(small(systems=1), tmp_path / "plain")
    packed = content(small(systems=1), tmp_path / "packed", gz=True)
    assert {f"{name}.gz" for name in plain} == packed.keys()
    assert {name: gzip.decompress(packed[f"{name}.gz"]) for name in plain} == plain


@pytest.mark.parametrize("gz", [False, True])
def test_a_directory_with_a_campaign_is_refused_unless_forced(tmp_path, gz):
    campaign = small(systems=1)
    campaign.write(tmp_path, gz=gz)
    with pytest.raises(InputError, match=r"qrels.txt.* already exists.*force=True"):
        campaign.write(tmp_path)
    campaign.write(tmp_path, force=True)


def test_an_unknown_order_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(OptionError, match="shuffle must be one of none, lines, topics, not 'topic'"):
        small().write(tmp_path / "new", shuffle="topic")
    assert not (tmp_path / "new").exists()


def test_progress_goes_up_to_the_total(tmp_path, monkeypatch):
    monkeypatch.setattr(topics, "_BATCH", 100)
    steps: list[tuple[int, int]] = []
    small(systems=2).write(tmp_path, progress=lambda done, total: steps.append((done, total)))
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert {total for _, total in steps} == {28}
    assert steps[-1] == (28, 28)


def test_an_interrupted_write_leaves_no_half_a_file(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().write(tmp_path, progress=stop)
    assert not list(tmp_path.glob("*"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize("shuffle", ["none", "topics"])
def test_memory_does_not_grow_with_the_number_of_lines(tmp_path, shuffle):
    def peak(topics):
        code = (
            "import re\n"
            "from pathlib import Path\n"
            "from rankgauge.extensions.studies.simulation import simulate\n"
            f"simulate(topics={topics}, systems=1, judged=1.1).write({str(tmp_path)!r}, "
            f"shuffle={shuffle!r}, force=True)\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        return int(done.stdout) / 1024  # MB; getrusage would count the memory of this process, too

    few, many = peak(400), peak(1200)
    assert many < 100
    assert many - few < 12
