"""Files by pattern and in directories, in which links may lead anywhere."""

import fnmatch
import os
from pathlib import Path

import pytest

import rankgauge
from rankgauge.errors import InputError
from rankgauge.formats.patterns import files_below, matches


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A directory to be in, with some files."""
    for name in ("a.run", "b/c.run", "b/d/e.run", "b/d/e.txt", ".hidden/f.run", "b/.g.run", "x[1]/h.run"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.run", ["a.run"]),
        ("**/*.run", ["a.run", "b/c.run", "b/d/e.run", "x[1]/h.run"]),
        ("**/**/*.run", ["a.run", "b/c.run", "b/d/e.run", "x[1]/h.run"]),
        ("**", ["a.run", "b/c.run", "b/d/e.run", "b/d/e.txt", "x[1]/h.run"]),
        ("b/**", ["b/c.run", "b/d/e.run", "b/d/e.txt"]),
        ("b/**/d/*.run", ["b/d/e.run"]),
        ("**/d/**/*.run", ["b/d/e.run"]),
        ("?/**/*.run", ["b/c.run", "b/d/e.run"]),
        ("**/.g.run", ["b/.g.run"]),
        ("**/d/", ["b/d/"]),
        ("b**/*.run", ["b/c.run"]),
        ("nowhere/**", []),
    ],
)
def test_two_stars_stand_for_any_directories(tree, pattern, names):
    assert matches(pattern) == names
    assert matches(f"{tree}/{pattern}") == [f"{tree}/{name}" for name in names]


@pytest.mark.parametrize("links", [["again"], ["again", "and again"]])
def test_a_directory_that_links_to_itself_is_visited_once(tree, links):
    for link in links:
        (tree / "b" / link).symlink_to(".")
        (tree / "b" / "d" / link).symlink_to(tree)
    assert matches("b/**/*.run") == sorted(
        ["b/c.run", "b/d/e.run", "b/d/again/a.run", "b/d/again/x[1]/h.run"]
    )
    assert len(files_below(str(tree))) == 5


def test_a_linked_directory_is_followed_and_called_by_its_own_path_if_that_is_found(tree):
    (tree / "a").symlink_to("b")
    assert matches("**/*.run") == ["a.run", "b/c.run", "b/d/e.run", "x[1]/h.run"]
    assert matches("a/**/*.run") == ["a/c.run", "a/d/e.run"]
    assert matches("[ab]/**/*.run") == ["a/c.run", "a/d/e.run"]


def test_a_link_to_a_file_matches_by_its_name_and_is_the_same_part_of_a_directory(tree):
    (tree / "b" / "best.run").symlink_to("c.run")
    assert matches("b/**/*.run") == ["b/best.run", "b/c.run", "b/d/e.run"]
    assert [Path(path).resolve().name for path in files_below("b")] == ["c.run", "e.run", "e.txt"]


@pytest.mark.usefixtures("tree")
def test_a_directory_that_cannot_be_read_is_an_error(monkeypatch):
    def listdir(path, _listdir=os.listdir):
        if path == "b/d":
            raise PermissionError(13, "Permission denied")
        return _listdir(path)

    monkeypatch.setattr(os, "listdir", listdir)
    with pytest.raises(InputError, match="b/d: the directory cannot be read: Permission denied"):
        matches("**/*.run")


def test_a_run_in_a_directory_with_loops_is_read_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    part = pa.table({"qid": ["1"], "docno": ["d1"], "score": [1.0]})
    parquet.write_table(part, tmp_path / "part-0.parquet")
    (tmp_path / "part-1.parquet").symlink_to("part-0.parquet")
    (tmp_path / "a").symlink_to(".")
    assert rankgauge.evaluate({"1": {"d1": 1}}, tmp_path, "RR").values.tolist() == [[[1.0]]]


def random_tree(draw, top):
    """Directories, files and links to directories, anywhere."""
    directories = [top]
    for _ in range(draw.randrange(1, 12)):
        place = draw.choice(directories) / draw.choice("abcde")
        if os.path.lexists(place):
            continue
        match draw.randrange(3):
            case 0:
                place.mkdir()
                directories.append(place)
            case 1:
                place.symlink_to(draw.choice([*directories, Path(".."), Path()]))
            case _:
                place.touch()


def reachable(top):
    """(real directory, name) of all files that can be reached."""
    visited, waiting, files = set(), [Path(top).resolve()], set()
    while waiting:
        directory = waiting.pop()
        if directory in visited:
            continue
        visited.add(directory)
        for path in directory.iterdir():
            if path.is_dir():
                waiting.append(path.resolve())
            else:
                files.add((directory, path.name))
    return files


def test_every_file_of_a_directory_with_any_links_is_found_once(tmp_path, cases, count):
    for number, draw in cases(max(30, count // 30), seed="links"):
        top = tmp_path / str(number)
        (top / "top").mkdir(parents=True)
        random_tree(draw, top / "top")
        expected = reachable(top / "top")
        for pattern in (f"{top}/top/**", f"{top}/*/**/?", f"{top}/top/**/**/a"):
            found = [(Path(path).parent.resolve(), Path(path).name) for path in matches(pattern)]
            files = [place for place in found if not (place[0] / place[1]).is_dir()]
            name = pattern.rpartition("/")[2]
            assert len(set(files)) == len(files), (number, pattern)
            assert set(files) == {f for f in expected if fnmatch.fnmatch(f[1], name)}, (number, pattern)
