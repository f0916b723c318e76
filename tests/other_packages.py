"""Packages that somebody else installed, and commands that run where they are installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import rankgauge

GROUPS = ("measures", "tests", "corrections", "studies", "figures", "formats")


def install(site, name, content, target=None):
    """Install a package of one module, which adds to every registry."""
    (site / f"{name}.py").write_text(content)
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "".join(f"[rankgauge.{group}]\n{name} = {target or name}\n\n" for group in GROUPS)
    )


MANY = """
import contextlib, io, json, sys
from rankgauge.cli.main import main
answers = []
for arguments in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as messages:
        status = main(arguments)
    answers.append((status, messages.getvalue()))
print(json.dumps(answers))
"""  # commands in one process: starting one takes longer than running it


def at(site, work):
    """A function that runs `rankgauge` where the packages of a site are installed, and returns its output."""
    paths = os.pathsep.join([str(site), str(Path(rankgauge.__file__).parents[1])])

    def python(*arguments, **options):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=work,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    def run(*arguments, status=0, stream="stdout"):
        done = python("-m", "rankgauge", *arguments)
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return (done.stdout, done.stderr) if stream == "both" else getattr(done, stream)

    run.folder = work
    run.one_after_another = lambda commands: json.loads(python("-c", MANY, input=json.dumps(commands)).stdout)
    return run
