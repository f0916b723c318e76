"""Builds the compiled core; everything else about the package is in pyproject.toml.

The extension is optional: where it cannot be built, the reason is recorded for `rankgauge --version` and the
pure-Python twin serves, with the same results. RANKGAUGE_REQUIRE_CORE=1 makes the build fail instead;
RANKGAUGE_PURE=1 builds a wheel without it, for every platform.
"""

import os
import re
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.egg_info import egg_info
from setuptools.errors import BaseError, CCompilerError, LinkError

PURE, REQUIRED = (
    os.environ.get(f"RANKGAUGE_{name}", "") not in ("", "0") for name in ("PURE", "REQUIRE_CORE")
)
# One binary for every Python from 3.11 on. 3.10 has no buffers in its limited API, and free-threaded builds
# have none before 3.15: those get a binary of their own.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
ABI3 = not PURE and sys.version_info >= (3, 11) and not FREE_THREADED
MACROS = [("Py_LIMITED_API", "0x030B0000")] if ABI3 else []
if FREE_THREADED and sys.platform == "win32":  # one header serves both builds there
    MACROS.append(("Py_GIL_DISABLED", "1"))


class BuildCore(build_ext):
    """build_ext with the flags of the compiler in use."""

    def build_extension(self, ext: Extension) -> None:
        """Compile with C++17 and full optimisation, whatever the compiler calls them."""
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args = ["/std:c++17", "/O2", "/EHsc"]
        else:
            # GCC fuses a*b + c into one rounding where the processor can (aarch64 always can, x86-64 by
            # default cannot). Numbers must be the same on every machine, and those of the pure core.
            exact = "-ffp-contract=off"
            ext.extra_compile_args = ["-std=c++17", "-O3", "-fvisibility=hidden", "-g0", exact]
        reason = Path(self.get_ext_fullpath(ext.name)).with_name("not_compiled.txt")
        reason.parent.mkdir(parents=True, exist_ok=True)
        reason.unlink(missing_ok=True)
        try:
            self._link(ext)
        except (CCompilerError, BaseError) as error:
            reason.write_text(f"{error}\n", "utf-8")
            raise

    def _link(self, ext: Extension) -> None:
        if sys.platform == "linux":  # loading a library of its own would take more than a millisecond
            ext.extra_link_args = ["-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL"]
        try:
            super().build_extension(ext)
        except LinkError:  # not every system has that library to be linked statically
            ext.extra_link_args = []
            super().build_extension(ext)


class Wheel(bdist_wheel):
    """bdist_wheel that tags the wheel as good for every later Python, too."""

    def finalize_options(self) -> None:
        """Say abi3 when the binary is."""
        if ABI3:
            self.py_limited_api = "cp311"
        super().finalize_options()


class Metadata(egg_info):
    """egg_info that makes relative links of the README absolute: an index of packages shows it alone."""

    def run(self) -> None:
        """Complete links from the address of the repository, once there is one in pyproject.toml."""
        metadata = self.distribution.metadata
        if repository := (metadata.project_urls or {}).get("Repository"):
            for mark, view in (("!", "raw"), ("", "blob")):  # pictures first, then pages
                relative = rf"({mark}\[[^]]*\]\()(?!#|\w+:)"
                absolute = rf"\1{repository}/{view}/v{metadata.version}/"
                metadata.long_description = re.sub(relative, absolute, metadata.long_description)
        super().run()


core = Extension(
    "rankgauge.core._compiled",
    sources=["src/rankgauge/core/module.cpp"],
    depends=sorted(map(str, Path("src/rankgauge/core").glob("*.hpp"))),
    define_macros=MACROS,
    py_limited_api=ABI3,
    optional=not REQUIRED,
)
setup(
    ext_modules=[] if PURE else [core],
    cmdclass={"build_ext": BuildCore, "bdist_wheel": Wheel, "egg_info": Metadata},
)
