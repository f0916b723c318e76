"""Files that are written: whole or not at all, through links, and by several writers at once."""

import gzip
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankgauge.errors import InputError
from rankgauge.formats.target import writing


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    target = tmp_path / "x"
    target.touch()
    target.chmod(mode)
    with writing(target) as out:
        out.write(b"x")
        (part,) = (path for path in tmp_path.iterdir() if path != target)
        assert part.stat().st_mode == target.stat().st_mode  # what is secret is so while it is written, too
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_bytes() == b"x"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_write_protected_file_is_not_replaced(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    target.chmod(0o444)
    with pytest.raises(InputError, match="cannot be written: Permission denied"), writing(target):
        pass
    assert target.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [target]


def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").write_bytes(b"old")
    (tmp_path / "to_old").symlink_to(tmp_path / "folder" / "old")
    (tmp_path / "to_new.gz").symlink_to("folder/new")  # which does not exist
    for link in ("to_old", "to_new.gz"):
        with writing(tmp_path / link) as out:
            out.write(b"new")
        assert (tmp_path / link).is_symlink()
    assert (tmp_path / "folder" / "old").read_bytes() == b"new"
    assert gzip.decompress((tmp_path / "folder" / "new").read_bytes()) == b"new"
    assert len([*(tmp_path / "folder").iterdir()]) == 2
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="loop: the file cannot be written"), writing(tmp_path / "loop"):
        pass


def test_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "x"
    with writing(target) as first:
        first.write(b"first")
        with writing(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert [*tmp_path.iterdir()] == [target]


@pytest.mark.parametrize("length", [1, 244, 245, 255])  # that of the longest name
def test_threads_can_write_one_file(tmp_path, length):
    target = tmp_path / ("x" * length)

    def save(number):
        with writing(target) as out:
            out.write(bytes([number]) * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(200)))
    assert len({*target.read_bytes()}) == 1
    assert [*tmp_path.iterdir()] == [target]


@pytest.mark.parametrize("name", ["", "folder/", "a\0b"])
def test_what_is_not_the_name_of_a_file_cannot_be_written(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="expected the name of a file to write"), writing(name):
        pass
    assert not [*tmp_path.iterdir()]


def test_the_file_behind_standard_output_is_not_replaced(tmp_path):
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")  # as /dev/stdout is, which a test must not endanger
    program = """if True:
        import sys
        from rankgauge.formats.target import writing
        with writing(sys.argv[1]) as out:
            out.write(b"two")
    """
    with (tmp_path / "log").open("ab") as log:
        log.write(b"one ")
        log.flush()
        subprocess.run([sys.executable, "-c", program, tmp_path / "stdout"], stdout=log, check=True)
    assert (tmp_path / "log").read_bytes() == b"one two"
