"""Without a package that it needs, every command and call names it and says how to install it."""

import re
import sys

import numpy as np
import pytest

import installed
from rankgauge.cli.parser import COMMANDS
from rankgauge.schema.extensions import is_installed
from rankgauge.schema.lazy import REQUIRED

FILES = "qrels.txt a.run b.run c.run"
SMALL = installed.rows(
    {  # every command, on files of a few lines
        "evaluate": FILES,
        "dense": "qrels.txt --queries v.npy --query-ids topics --documents v.npy --doc-ids docs",
        "compare": FILES,
        "diff": "qrels.txt a.run b.run",
        "explore": "qrels.txt missing/a.run",
        "report": f"{FILES} -o report.md",
        "explain": "qrels.txt a.run -m AP --topic 1",
        "study": f"power {FILES}",
        "fuse": "a.run b.run",
        "pool": "a.run b.run",
        "agreement": "qrels.txt qrels.txt a.run b.run",
        "figure": "",
        "reproduce": "",
        "replicate": "qrels.txt a.run b.run",
        "costs": "qrels.txt missing.tsv a.run",
        "trec_eval": "qrels.txt a.run",
        "validate": "a.run",
        "campaign": ". --qrels qrels.txt -o out",
        "convert": "a.run converted.csv",
        "simulate": "simulated --topics 2 --depth 5 --systems 2",
        "demo": "shown",
        "decide": "qrels.txt a.run b.run",
        "search": "missing.tsv a=http://localhost",
        "items": "a.run -m GAUC --qrels qrels.txt",
        "measures": "AP",
    }
)
# What cannot be done without a package, and the package or extra to install: {module: (command, package)}
NEEDED = {
    "numpy": (f"compare {FILES}", "numpy"),
    "shtab": ("--completion bash", "'rankgauge[completion]'"),
    "pyarrow": ("convert a.run a.parquet", "'rankgauge[arrow]'"),
}
OF_EXTENSIONS = {
    "scipy": ("agreement qrels.txt qrels.txt a.run --docs 100", "scipy"),
    "altair": (f"figure distribution {FILES} -o figure.svg", "'rankgauge[plot]'"),
    "starlette": ("explore qrels.txt a.run", "'rankgauge[explore]'"),
}
NEEDED |= {package: row for package, row in OF_EXTENSIONS.items() if installed.rows([row])}
JUDGED = {"1": {"a": 1}, "2": {"b": 1}, "3": {"b": 1}}
RANKED = {topic: {"a": 2.0, "b": 1.0} for topic in JUDGED}
CALLS = {  # of the Python interface
    "numpy": lambda rankgauge: rankgauge.evaluate(JUDGED, RANKED, "AP"),
    "scipy": lambda rankgauge: rankgauge.compare(JUDGED, [RANKED, JUDGED], "AP"),
    "pandas": lambda rankgauge: rankgauge.evaluate(JUDGED, RANKED, "AP").to_pandas(),
    "polars": lambda rankgauge: rankgauge.evaluate(JUDGED, RANKED, "AP").to_polars(),
}
if is_installed("devices"):
    CALLS["array_api_compat"] = lambda rankgauge: rankgauge.evaluate_scores([[1, 0]], [[0.5, 0.25]], "AP")


@pytest.fixture
def small_files(working_folder):
    runs = {
        name: "".join(
            f"{topic} Q0 {doc} {rank} {-rank} x\n" for topic in "123" for rank, doc in enumerate(docs)
        )
        for name, docs in {"a.run": "abc", "b.run": "bca", "c.run": "cab"}.items()
    }
    np.save("v.npy", np.eye(3))
    ids = {"topics": "1\n2\n3\n", "docs": "a\nb\nc\n"}
    return working_folder({"qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 1\n3 0 b 1\n", **ids, **runs})


@pytest.fixture
def without(request, small_files):
    """The name of a package that cannot be imported; rankgauge is imported anew."""
    hidden = request.param

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if f"{name}.".startswith(f"{hidden}."):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    def take_out(*packages):
        return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in packages}

    before = take_out("rankgauge", hidden)
    sys.meta_path.insert(0, Finder)
    yield hidden
    sys.meta_path.remove(Finder)
    take_out("rankgauge")
    sys.modules.update(before)


def message(package):
    return f", which is not installed; pip install {package}"


def test_every_command_is_tried():
    assert SMALL.keys() == COMMANDS.keys()
    assert REQUIRED.keys() <= NEEDED.keys() | CALLS.keys() | {"array_api_compat"}


@pytest.mark.parametrize("without", ["numpy", "scipy"], indirect=True)
def test_every_command_works_or_names_the_package(without, capsys):
    from rankgauge.cli.main import main

    for command, arguments in SMALL.items():
        status = main([command, *arguments.split()])
        printed = capsys.readouterr().err
        named = message(REQUIRED[without]) in printed or "o such file" in printed
        assert status in (0, 1) or (status == 2 and named), printed


@pytest.mark.parametrize("without", NEEDED, indirect=True)
def test_a_command_names_the_package_that_it_needs(without, capsys):
    from rankgauge.cli.main import main

    command, package = NEEDED[without]
    assert main(command.split()) == 2
    assert capsys.readouterr().err.endswith(f" needs {without}{message(package)}\n")


@pytest.mark.parametrize("without", CALLS, indirect=True)
def test_a_call_names_the_package_that_it_needs(without):
    import rankgauge
    from rankgauge.errors import MissingDependency

    package = REQUIRED.get(without, f"'rankgauge[{without}]'")
    with pytest.raises(MissingDependency, match=f"{re.escape(message(package))}$"):
        CALLS[without](rankgauge)


@pytest.mark.parametrize("without", ["numpy"], indirect=True)
def test_every_public_name_can_be_used_or_names_the_package(without):
    import rankgauge
    from rankgauge.errors import MissingDependency, MissingExtension

    missing = []
    for name in rankgauge.__all__:
        try:
            dir(getattr(rankgauge, name))
        except MissingExtension:
            pass
        except MissingDependency as error:
            missing.append(str(error))
    assert all(error.endswith(message("numpy")) for error in missing)
    assert "Run" not in vars(rankgauge)
