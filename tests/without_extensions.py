"""Run the tests of the base package on a copy of rankgauge that has no extensions, or lacks some of them.

python tests/without_extensions.py                       no extension is there
python tests/without_extensions.py pages studies         these two are not
python tests/without_extensions.py pages -- -k gate      what follows -- is for pytest
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "rankgauge"
EXTENSIONS = SRC / "extensions"
# Beside these: `extensions`, and tests of the project as a whole.
BASE = [
    *("campaigns", "cli", "comparison", "compat", "core", "engines", "evaluation", "explanation", "formats"),
    *("golden", "laws", "measures", "model", "numbers", "schema", "twins"),
]


def names():
    """The names of all extensions."""
    return sorted(each.name for each in EXTENSIONS.iterdir() if (each / "__init__.py").is_file())


def copy_without(extensions, folder):
    """Copy the package to a folder without some extensions; return an environment that finds it there."""
    left_out = {str(EXTENSIONS / name) for name in extensions}

    def ignored(place, entries):
        return {each for each in entries if each == "__pycache__" or str(Path(place, each)) in left_out}

    shutil.copytree(SRC, Path(folder) / "rankgauge", ignore=ignored)
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def main(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    extensions, options = arguments[:at] or names(), arguments[at + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", *options, *(f"tests/{each}" for each in BASE)]
        return subprocess.run(command, cwd=ROOT, env=copy_without(extensions, folder), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
