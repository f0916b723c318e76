"""Install the lowest allowed versions of all dependencies, and see whether rankgauge works with them.

    python tests/oldest.py

The environment is build/oldest. Spark and torch are left out: they are large, and need Java or a GPU.
"""

import json
import subprocess
import sys
import tempfile
import urllib.request
import venv
from http.cookiejar import CookieJar
from importlib.metadata import version
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).parents[1]
EXTRAS = ("arrow", "zstd", "pandas", "polars", "plot", "explore")
QRELS = {f"q{t}": {f"d{n}": (n + t) % 3 for n in range(8)} for t in range(12)}
RUNS = {
    name: {
        topic: {f"d{n}": float((n * step + len(topic) + t) % 11) for n in range(9)}
        for t, topic in enumerate(QRELS)
    }
    for name, step in (("a", 3), ("b", 5), ("c", 7))
}


def lowest() -> list[str]:
    """The requirements of the package, each with its lowest allowed version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [
        *project["dependencies"],
        *(each for extra in EXTRAS for each in project["optional-dependencies"][extra]),
    ]
    return [each.replace(">=", "==", 1) for each in listed if not each.startswith("rankgauge[")]


def install() -> str:
    """Python of a new environment with these versions."""
    folder = ROOT / "build" / "oldest"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    venv.create(folder, with_pip=True, clear=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *lowest(), str(ROOT)], check=True)
    return str(python)


def smoke() -> None:
    """Use every dependency once; values must not depend on how a run was passed."""
    import numpy as np
    import pandas
    import polars
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    import rankgauge

    for requirement in lowest():
        name, _, wanted = requirement.partition(";")[0].partition("==")
        print(f"{name} {version(name)}")
        assert version(name).startswith(wanted), requirement
    expected = rankgauge.evaluate(QRELS, RUNS, "nDCG@5 AP").mean()
    rows = [(t, d, score) for t, docs in RUNS["a"].items() for d, score in docs.items()]
    columns = {name: [row[n] for row in rows] for n, name in enumerate(("query_id", "doc_id", "score"))}
    with tempfile.TemporaryDirectory() as folder:
        parquet, arrow, zst = (Path(folder, name) for name in ("a.parquet", "a.arrow", "a.run.zst"))
        pyarrow.parquet.write_table(pa.table(columns), parquet)
        pyarrow.feather.write_feather(pa.table(columns), arrow)
        rankgauge.Run.from_dict(RUNS["a"], "a").write(zst)
        frames = (
            pandas.DataFrame(columns),
            polars.DataFrame(columns),
            pa.table(columns),
            columns,
            parquet,
            arrow,
            zst,
        )
        for run in frames:
            found = rankgauge.evaluate(QRELS, {"a": run}, "nDCG@5 AP").mean()
            assert found["a"] == expected["a"], type(run)
        scores = rankgauge.evaluate(QRELS, RUNS, "nDCG@5 AP")
        assert len(scores.to_pandas()) == len(scores.to_polars()) == scores.to_arrow().num_rows > 0
        for test in ("t", "wilcoxon", "tukey", "randomisation"):
            assert len(rankgauge.compare(scores, test=test).table().rows) > 0
        figure = Path(folder, "figure.png")
        rankgauge.figures.scatter(scores, of="runs").save(figure)
        assert figure.stat().st_size > 1000
        Path(folder, "q.json").write_text(json.dumps(QRELS), "utf-8")
        for command in ("evaluate q.json a.run.zst --format table", "--completion bash", "validate q.json"):
            arguments = [sys.executable, "-m", "rankgauge", *command.split()]
            subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    labels = np.array([[1, 0, 1], [0, 1, 0]])
    assert rankgauge.evaluate_scores(labels, np.array([[3.0, 2, 1], [3, 2, 1]]), "RR").mean() is not None
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with rankgauge.explore(QRELS, RUNS, "AP").start() as explorer:
        assert b"<html" in browser.open(explorer.address).read()
        address = explorer.address.partition("/?")[0]
        assert json.load(browser.open(f"{address}/api/overview"))
    print("rankgauge works with these versions.")


if __name__ == "__main__":
    if sys.argv[1:] == ["smoke"]:
        smoke()
    else:
        subprocess.run([install(), __file__, "smoke"], check=True)
