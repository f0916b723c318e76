"""The registry of formats: the order of detection, and formats that other packages add."""

import importlib.metadata
import subprocess
import sys

import pytest

from rankgauge import Run, evaluate, formats
from rankgauge.formats import FORMATS, Format, Source, files, text_files
from rankgauge.formats.row_reader import RowCollector
from rankgauge.formats.source import EXTENSIONS
from rankgauge.schema.registry import FAILURES
from registries import restored

ORDER = list(FORMATS.own())
KNOWN = ["parquet", "arrow", "jsonl", "json", "trec", "ntcir", "ntcireval", "csv", "tsv", "msmarco"]
SAMPLE = b"%pipes\n1|d1|2.5\n1|d2|1.5\n"


def read_pipes(source, request):
    rows = RowCollector(request.kind, request.keep)
    for number, line in enumerate(b"".join(source.chunks()).splitlines()[1:], 2):
        topic, doc, value = line.split(b"|")
        rows.add(number, topic, doc, float(value))
    return rows.columns(source.path, number)


PIPES = Format(
    "pipes",
    "columns separated by pipes",
    ("run",),
    (".pipes",),
    lambda source, _kind: source.head.startswith(b"%pipes"),
    read_pipes,
    lambda columns, out: out.write(SAMPLE),
)


class EntryPoint:
    """An entry point of an installed package."""

    name, value = "elsewhere", "pipes_package:PIPES"

    def load(self):
        return PIPES


@pytest.fixture
def installed(monkeypatch):
    """A package with a format is installed, and the registry has not looked for packages yet."""
    looked = []

    def entry_points(group):
        looked.append(group)
        return [EntryPoint()]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    with restored(FORMATS):
        yield looked


def test_formats_are_tried_in_the_order_of_the_registry():
    tried = list(files.own_first())
    assert [each.name for each in tried if each.name in KNOWN] == KNOWN
    assert [each.is_special for each in tried] == sorted((each.is_special for each in tried), reverse=True)


def test_every_extension_of_ours_is_left_out_of_the_name_of_a_run():
    assert {extension for format in FORMATS.own().values() for extension in format.extensions} <= {
        *EXTENSIONS
    }


def test_the_order_does_not_depend_on_which_module_was_imported_first():
    code = "import rankgauge.formats.ntcir, rankgauge.formats as f; print(*f.FORMATS.own())"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.split() == ORDER


def test_a_file_of_ours_is_read_without_loading_other_packages(installed, file):
    assert formats.detect(Source(file("1 Q0 d 1 2.5 t\n")), "run").name == "trec"
    assert formats.by_extension("a.csv", "run").name == "csv"
    assert formats.guess_kind(Source(file("1 Q0 d 1 2.5 t\n"))) == "run"
    assert installed == []


def test_a_format_of_another_package_is_found_by_content_name_and_extension(installed, file, tmp_path):
    path = file(SAMPLE, "run.txt")
    assert formats.detect(Source(path), "run") is PIPES
    assert formats.guess_kind(Source(path)) == "run"
    assert formats.by_name("pipes", "run") is PIPES
    assert formats.by_extension("a.pipes.gz", "run") is PIPES
    assert list(FORMATS) == [*ORDER, "pipes"]
    assert installed == ["rankgauge.formats"]
    run = Run.read(path)
    assert run.to_dict() == {"1": {"d1": 2.5, "d2": 1.5}}
    assert evaluate({"1": {"d1": 1}}, path, "AP").mean() == {"run": {"AP": 1.0}}
    run.write(tmp_path / "copy.pipes")
    assert (tmp_path / "copy.pipes").read_bytes() == SAMPLE


def test_a_name_that_is_taken_is_refused(installed, monkeypatch, file):
    monkeypatch.setattr(EntryPoint, "load", lambda _: PIPES._replace(name="trec"))
    with restored(FORMATS):
        assert formats.detect(Source(file("?\n")), "run").read is FORMATS["trec"].read is not PIPES.read
        [failure] = FAILURES
    assert (
        "cannot be loaded (OptionError: the name trec belongs to the format trec; choose another)" in failure
    )


@pytest.mark.parametrize("named", [PIPES, sys])
def test_a_format_that_its_module_registers_is_found_whether_the_entry_point_names_it_or_the_module(
    installed, monkeypatch, named
):
    monkeypatch.setattr(EntryPoint, "load", lambda _: files.register(PIPES) and named)
    assert FORMATS.find("PIPES") is PIPES


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize(
    "content",
    [
        "1 Q0 d 1 2.5 t\n",
        "1 0 d 1\n",
        "1 0 d L1\n",
        "1 d L1\n",
        "{} Q0 d 1 2.5 t\n",
        '{"a": 1 2 3}\n',
        "x\n",
        "",
    ],
)
def test_the_check_without_numpy_agrees_with_detection(content, kind, file):
    source = Source(file(content, "data.unknown"))
    by_content = [f.name for f in FORMATS.values() if kind in f.kinds and f.sniff(source, kind)]
    assert text_files.first_trec(source, kind) == (by_content[:1] == ["trec"])


def test_the_check_without_numpy_imports_neither_numpy_nor_the_formats():
    code = (
        "import sys, rankgauge.formats.text_files; unwanted = 'numpy', 'rankgauge.formats.trec', "
        "'importlib.metadata'; sys.exit(any(name in sys.modules for name in unwanted))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
