"""Install each extra alone, and none, in a new environment; see whether it does what its name says.

    python tests/extras.py [EXTRA...]

The environments are in build/extras. Extras with torch take gigabytes, so they are tried only where named;
`test` and `bench` are tried by what they are for.
"""

import contextlib
import inspect
import io
import pydoc
import re
import shutil
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from importlib.metadata import requires
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "extras"
NOT_ALONE = {"test", "bench", "torch", "torchmetrics", "sentence-transformers"}
QRELS = {f"q{t}": {f"d{n}": (n + t) % 3 for n in range(8)} for t in range(12)}
RUN = {topic: {f"d{n}": float((n * 3 + t) % 11) for n in range(9)} for t, topic in enumerate(QRELS)}
OTHER = {topic: {doc: -score for doc, score in docs.items()} for topic, docs in RUN.items()}
ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
COLUMNS = dict(zip(("query_id", "doc_id", "score"), zip(*ROWS, strict=True), strict=True))


def base(rankgauge):
    """Evaluate, compare and explain."""
    rankgauge.Run.from_dict(RUN, "a").write("a.run")
    assert rankgauge.compare(QRELS, {"a": "a.run", "b": OTHER}, "AP").table().rows
    assert "AP" in str(rankgauge.explain(QRELS, RUN, "AP", topic="q1"))


def arrow(rankgauge):
    """Read Parquet and write Arrow."""
    rankgauge.evaluate(QRELS, RUN, "AP").to_arrow()
    import pyarrow as pa
    from pyarrow.parquet import write_table

    write_table(pa.table({name: [*column] for name, column in COLUMNS.items()}), "a.parquet")
    assert mean(rankgauge, "a.parquet") == mean(rankgauge, RUN)


def zstd(rankgauge):
    """Write a compressed run, and read it."""
    rankgauge.Run.from_dict(RUN, "a").write("a.run.zst")
    assert mean(rankgauge, "a.run.zst") == mean(rankgauge, RUN)


def pandas(rankgauge):
    """Frames of pandas, in and out."""
    assert mean(rankgauge, rankgauge.Run.from_dict(RUN, "a").to_pandas()) == mean(rankgauge, RUN)


def polars(rankgauge):
    """Frames of polars, in and out."""
    assert mean(rankgauge, rankgauge.Run.from_dict(RUN, "a").to_polars()) == mean(rankgauge, RUN)


def completion(rankgauge):
    """A script for bash."""
    from rankgauge.cli.completion import script

    subprocess.run(["bash", "-n"], input=script("bash"), text=True, check=True)


def plot(rankgauge):
    """A figure as a picture."""
    scores = rankgauge.evaluate(QRELS, {"a": RUN, "b": OTHER}, "AP RR")
    rankgauge.figures.scatter(scores, of="runs").save("figure.png")
    assert Path("figure.png").read_bytes().startswith(b"\x89PNG")


def explore(rankgauge):
    """The page, served."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with rankgauge.explore(QRELS, RUN, "AP").start() as explorer:
        assert b"<html" in browser.open(explorer.address).read()


def site(rankgauge):
    """The documentation."""
    if not shutil.which("zensical", path=Path(sys.executable).parent) and sys.version_info >= (3, 11):
        raise rankgauge.MissingDependency("the site", "zensical", "site")
    subprocess.run([sys.executable, ROOT / "docs" / "build_site.py", "site"], check=True)


def spark(rankgauge):
    """Evaluation of DataFrames."""
    if not shutil.which("java"):
        print("There is no Java: evaluation on Spark is not tried.")
        return
    from rankgauge.extensions.devices.spark.library import functions

    functions()
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").getOrCreate()
    qrels = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    frames = (
        session.createDataFrame(qrels, ["query_id", "doc_id", "relevance"]),
        session.createDataFrame(ROWS, [*COLUMNS]),
    )
    (values,) = rankgauge.spark.evaluate(*frames, "AP").scores().mean().values()
    assert values["AP"] == mean(rankgauge, RUN)


def torch(rankgauge):
    """Scores in tensors."""
    from rankgauge.schema.lazy import optional_module

    library = optional_module("torch", "a tensor", "torch")
    scores = rankgauge.evaluate_scores(library.tensor([[0, 1]]), library.tensor([[2.0, 1.0]]), "RR")
    assert scores.mean()["RR"] == 0.5


def mean(rankgauge, run):
    """The mean AP of a run."""
    (values,) = rankgauge.evaluate(QRELS, run, "AP").mean().values()
    return values["AP"]


USES = {
    use.__name__: use for use in (arrow, zstd, pandas, polars, completion, plot, explore, site, spark, torch)
}


def check(extra):
    """Help, names and commands work in every environment; what an extra does works, or names the extra."""
    import rankgauge
    from rankgauge.cli.main import main
    from rankgauge.cli.parser import COMMANDS

    assert "evaluate(qrels, runs, measures)" in pydoc.render_doc(rankgauge)
    exec("from rankgauge import *", {})
    assert {*dir(rankgauge)} == {name for name, _ in inspect.getmembers(rankgauge)}
    assert all(hasattr(rankgauge, name) for name in rankgauge.__all__)
    for command in COMMANDS:
        for options in ([], ["--all"]):
            with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
                main([command, "--help", *options])
            assert printed.getvalue().startswith("usage: "), command
    base(rankgauge)
    for name, use in USES.items():
        try:
            use(rankgauge)
        except rankgauge.MissingDependency as error:
            if name in parts(extra):
                raise
            if "pip install 'rankgauge[" not in str(error):
                raise AssertionError(f"{name} does not name its extra") from error
    print(f"{extra or 'no extra'}: works")


def parts(extra):
    """An extra and those that it consists of."""
    found = {extra}
    for line in requires("rankgauge"):
        inner = re.fullmatch(rf"rankgauge\[(.+)\] *; *extra == [\"']{extra}[\"']", line)
        for part in inner[1].split(",") if inner else ():
            found |= parts(part)
    return found


def main(chosen):
    """Build a wheel, and try each extra in an environment of its own."""
    from distributions import environment, tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.rmtree(WORK, ignore_errors=True)
    uv = environment(WORK / "tools", "uv") / "uv"
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", WORK, ROOT], check=True)
    (wheel,) = WORK.glob("*.whl")
    for extra in chosen or [
        "",
        *(each for each in project["optional-dependencies"] if each not in NOT_ALONE),
    ]:
        folder = WORK / (extra or "none")
        python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        package = f"rankgauge[{extra}] @ {wheel.as_uri()}" if extra else wheel
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, package], check=True)
        subprocess.run([python, __file__, "check", extra], cwd=folder, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(sys.argv[2])
    else:
        main(sys.argv[1:])
