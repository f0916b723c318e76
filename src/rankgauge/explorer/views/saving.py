"""Saving what the page shows, as a file that the browser keeps."""

from __future__ import annotations

import base64
from typing import Any

from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.saving import save
from rankgauge.explorer.session import Session


def saved(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The file of a view in a format: its name, its media type, and its bytes in base 64."""
    view, form = parameters.text("view"), parameters.text("format")
    address = {name: parameters.texts(f"address.{name}") for name in parameters.names("address.")}
    kind, content = save(session, view, address, form)
    name = f"{view}.{'txt' if form == 'command' else form}"
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode()}
