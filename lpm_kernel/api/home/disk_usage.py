"""What the home takes up."""

from __future__ import annotations

import shutil

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.home.disk_usage_schemas import SizeOut, SizesOut
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.usecases.home.disk_usage import measure

api = HOME.blueprint("disk_usage", __name__)


@api.get("/sizes", summary="Disk usage", responses={200: SizesOut})
def sizes() -> Response:
    """Count bytes by kind of thing."""
    home = node().ports.home
    found = measure(home)
    items = [SizeOut.model_validate(size, from_attributes=True) for size in found]
    return json_response(
        SizesOut(
            items=items,
            bytes=sum(size.bytes for size in found),
            free=shutil.disk_usage(home.root).free,
            home=str(home.root),
        )
    )
