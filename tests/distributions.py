"""Build the sdist, and from it the wheels with and without the compiled core; check and test all of them.

    python tests/distributions.py [FOLDER]

The folder is dist by default. Wheels are tested in new environments, with the command that cibuildwheel runs.
The wheel with the core is for this machine alone: cibuildwheel builds those of a release.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "distributions"
TOOLS = ("build", "twine", "check-wheel-contents", "abi3audit")
WHEELS = {
    "compiled": "RANKGAUGE_REQUIRE_CORE",
    "pure": "RANKGAUGE_PURE",
}  # {core: the variable that builds and tests it}


def environment(folder: Path, *packages: str) -> Path:
    """The folder of programs of a new environment with these packages."""
    venv.create(folder, with_pip=True, clear=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *packages], check=True)
    return programs


def tracked() -> set[str]:
    """The files of the project."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


def main(folder: Path) -> None:
    """Build, check and test."""
    for each in (WORK, folder):
        shutil.rmtree(each, ignore_errors=True)
    programs = environment(WORK / "tools", *TOOLS)
    subprocess.run([programs / "python", "-m", "build", "--sdist", "--outdir", folder, ROOT], check=True)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK)
    source = WORK / sdist.name.removesuffix(".tar.gz")
    if missing := sorted(name for name in tracked() if not (source / name).exists()):
        sys.exit(f"{sdist.name} lacks {', '.join(missing)}: MANIFEST.in lists what belongs to it")

    wheels = {}
    for core, variable in WHEELS.items():
        build = [programs / "python", "-m", "build", "--wheel", "--outdir", folder / core, source]
        subprocess.run(build, env=os.environ | {variable: "1"}, check=True)
        (wheels[core],) = (folder / core).glob("*.whl")
        if extra := [name for name in zipfile.ZipFile(wheels[core]).namelist() if name.endswith("pp")]:
            sys.exit(f"{wheels[core].name} has C++ in it: {', '.join(extra)}")
    subprocess.run([programs / "twine", "check", "--strict", sdist, *wheels.values()], check=True)
    subprocess.run([programs / "check-wheel-contents", *wheels.values()], check=True)
    if "abi3" in wheels["compiled"].name:
        subprocess.run([programs / "abi3audit", "--strict", wheels["compiled"]], check=True)

    settings = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    for core, wheel in wheels.items():
        programs = environment(WORK / core, *settings["test-requires"], str(wheel))
        _, *arguments = shlex.split(settings["test-command"])
        subprocess.run(
            [programs / "python", *arguments], cwd=source, env=os.environ | {WHEELS[core]: "1"}, check=True
        )
        subprocess.run([programs / "rankgauge", "--version"], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve())
