"""Names that are imported when they are first used, and libraries that may not be installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from rankgauge.errors import MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What every installation has: {module: the name under which it is installed}
REQUIRED = {name.replace("-", "_"): name for name in ("numpy", "scipy", "array-api-compat")}

# What modules import without asking, and not every installation has: {module: (feature, library, extra)}
EXTRAS = {"pyarrow": ("evaluation on Spark", "pyarrow", "spark")}


class dependencies:  # not by contextlib, which `rankgauge --version` does not import
    """Turn the lack of a package or extension into an error that names it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            from rankgauge.schema import extensions

            extensions.require_for(error.name or "")
            library = (error.name or "").partition(".")[0]
            if library in EXTRAS:
                raise MissingDependency(*EXTRAS[library]) from None
            if library in REQUIRED:
                raise MissingDependency("rankgauge", REQUIRED[library]) from None


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package.

    `homes` has the module that defines each name, `modules` the modules that are offered under another name.
    Extensions offer further names in `rankgauge` and its packages.
    """

    def __getattr__(name: str) -> Any:
        if modules and name in modules:
            with dependencies():
                return import_module(modules[name])
        module, attribute = homes.get(name, ""), name
        if not module:
            from rankgauge.schema import extensions

            inside = package.partition(".")[2]
            found = extensions.place(f"{inside}.{name}" if inside else name)
            if found is None:
                # Python itself adds the name that is probably meant
                raise AttributeError(
                    f"module {package!r} has no attribute {name!r}; help({package}) lists what it has"
                )
            module, attribute = found
        with dependencies():
            value = import_module(module)
            if attribute:
                value = getattr(value, attribute)
        setattr(sys.modules[package], name, value)  # next time without __getattr__
        return value

    return __getattr__


def required_module(name: str) -> Any:
    """A module of a required package."""
    with dependencies():
        return import_module(name)


def optional_module(name: str, feature: str, extra: str, library: str = "") -> Any:
    """A module that a feature needs; an error names the extra that has it if it is not installed.

    `library` is the name to install, if that is another one.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MissingDependency(feature, library or name, extra) from None
