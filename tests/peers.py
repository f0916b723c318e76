"""Run the test suites of other tools on rankgauge's interfaces, in place of theirs; write a table of results.

    python tests/peers.py [NAME=CHECKOUT...]

Suites come from the packages where these contain them; `ranx=FOLDER` gives a checkout of one that has its
tests elsewhere. Tests that are expected to fail stand in peers.txt, with the reason; any other that fails
ends this with an error, and so does one that passes. The table is docs/reference/peers.md.

In the environment of a suite, this module is the plugin of pytest that replaces the tool.
"""

import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "peers"
TABLE = ROOT / "docs" / "reference" / "peers.md"
RANKING = "ndcg or dcg or coverage or label_ranking or lrap or top_k"


class Suite(NamedTuple):
    """The tests of a tool."""

    module: str  # what is replaced
    ours: str  # by what
    source: (
        str  # a distribution of which the sdist has the tests, or a module that has them; "" for a checkout
    )
    tests: str  # their place in it
    needs: tuple[str, ...]  # packages that the tests import
    chosen: str = ""  # those that concern us, an expression of pytest


SUITES = {
    "ir_measures": Suite("ir_measures", "compat.ir_measures", "ir-measures", "tests", ("pandas",)),
    "scikit-learn": Suite(
        "sklearn.metrics",
        "compat.scikit_learn",
        "sklearn",
        "metrics/tests/test_ranking.py",
        ("scikit-learn",),
        RANKING,
    ),
    "pytrec_eval": Suite("pytrec_eval", "compat.pytrec_eval", "", "tests/pytrec_eval_tests.py", ()),
    "ranx": Suite("ranx", "compat.ranx", "", "tests/unit/ranx", ("numba", "pandas", "lz4", "pyarrow")),
}


# The plugin


def pytest_configure(config):
    """Replace the tool, by its name or function by function, before its tests are imported."""
    suite = SUITES[os.environ["PEER"]]
    ours = importlib.import_module(f"rankgauge.{suite.ours}")
    if suite.module == "sklearn.metrics":  # which has much else
        theirs = importlib.import_module(suite.module)
        for name in ours.__all__:
            setattr(theirs, name, getattr(ours, name))
        return
    for each in pkgutil.iter_modules(getattr(ours, "__path__", ())):
        if each.name != "registration":
            importlib.import_module(f"{ours.__name__}.{each.name}")
    for name, module in [*sys.modules.items()]:
        if name == ours.__name__ or name.startswith(f"{ours.__name__}."):
            sys.modules[suite.module + name.removeprefix(ours.__name__)] = module


def pytest_ignore_collect(collection_path):
    """Leave out the files that are not expected to be importable."""
    if reason := expected().get(collection_path.name):
        reasons[reason] = reasons.get(reason, 0) + 1
        return True
    return None


def pytest_collection_modifyitems(items):
    """Mark the tests that are expected to fail."""
    import pytest

    for item in items:
        name = item.nodeid.partition("[")[0].rpartition("/")[2]
        if reason := expected().get(name):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def expected():
    """{test or file: why it is expected to fail} of this suite."""
    lines = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    rows = [line.partition("#") for line in lines if line.startswith(f"{os.environ['PEER']} ")]
    return {name.split(maxsplit=1)[1].strip(): reason.strip() for name, _, reason in rows}


counts = {"passed": 0, "skipped": 0, "failed": 0}
reasons = {}


def pytest_runtest_logreport(report):
    """Count results."""
    if report.when == "call" or report.skipped:
        counts[report.outcome] += 1
        if reason := getattr(report, "wasxfail", ""):
            counts["skipped"] -= 1
            reasons[reason] = reasons.get(reason, 0) + 1


def pytest_sessionfinish():
    """Write the results."""
    Path(os.environ["PEER_RESULTS"]).write_text(json.dumps([counts, reasons]), "utf-8")


# The program


def tests_of(name, suite, python, checkouts):
    """(the folder or file of the tests, the version that they are of)."""
    if name in checkouts:
        folder = Path(checkouts[name]).resolve()
        commit = subprocess.run(
            ["git", "log", "-1", "--format=%cs"], cwd=folder, capture_output=True, text=True
        )
        return folder / suite.tests, commit.stdout.strip() or "checkout"
    if suite.source == suite.module.partition(".")[0]:
        place = f"import {suite.source} as it; print(it.__path__[0], it.__version__)"
        found = subprocess.run([python, "-c", place], capture_output=True, text=True, check=True)
        folder, version = found.stdout.split()
        return Path(folder, suite.tests), version
    download = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", suite.source]
    subprocess.run(download, cwd=WORK, check=True)
    (sdist,) = WORK.glob(f"{name}-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK, filter="data")
    whole = sdist.name.removesuffix(".tar.gz")
    return WORK / whole / suite.tests, whole.rpartition("-")[2]


def main(checkouts):
    """Run the suites, and write the table."""
    from distributions import environment

    shutil.rmtree(WORK, ignore_errors=True)
    rows, failed = [], 0
    for name, suite in SUITES.items():
        if not suite.source and name not in checkouts:
            print(f"{name}: its packages lack the tests; {name}=FOLDER gives a checkout that has them")
            continue
        python = environment(WORK / name, str(ROOT), "pytest<9", *suite.needs) / "python"  # without subtests
        tests, version = tests_of(name, suite, python, checkouts)
        results = WORK / f"{name}.json"
        found = {"PEER": name, "PEER_RESULTS": str(results), "PYTHONPATH": str(Path(__file__).parent)}
        command = [python, "-m", "pytest", "-q", "-p", "peers", "-p", "no:cacheprovider", "-k", suite.chosen]
        command += ["-c", os.devnull, "--continue-on-collection-errors", "--rootdir", tests.parent, tests]
        failed |= subprocess.run(command, cwd=WORK, env=os.environ | found, check=False).returncode
        counts, reasons = json.loads(results.read_text())
        why = "; ".join(f"{reason} ({number})" for reason, number in sorted(reasons.items()))
        rows.append((name, version, counts["passed"], counts["skipped"], sum(reasons.values()), why))
    if not failed:
        TABLE.write_text(page(rows), "utf-8")
    sys.exit(failed)


def page(rows):
    """The table as a page."""
    return "\n".join(
        [
            "# The suites of other tools",
            "",
            "The tests of other tools, run on the interfaces in `rankgauge.compat`, which take their place",
            "(`make peers`). What is expected to fail differs by design, or is internal to the tool.",
            "",
            "| suite | version | passed | skipped | expected to fail | why |",
            "|---|---|---:|---:|---:|---|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows),
            "",
        ]
    )


if __name__ == "__main__":
    main(dict(each.split("=", 1) for each in sys.argv[1:]))
