"""How the screen looks and listens."""

from __future__ import annotations

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.home.settings_schemas import SettingsIO
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS

api = SETTINGS.blueprint("settings", __name__)


@api.get("/settings", summary="How the screen looks", responses={200: SettingsIO})
def get_settings() -> Response:
    """Show the settings of the screen."""
    return _settings()


def _settings() -> Response:
    known = node().ports.settings
    return json_response(
        SettingsIO.model_validate(
            {
                "language": known.language,
                "theme": known.theme,
                "single_keys": known.single_keys,
                "keeping": known.keeping,
            }
        )
    )


@api.put("/settings", summary="Change how the screen looks", responses={200: SettingsIO})
def put_settings(body: SettingsIO) -> Response:
    """Write them to settings.toml."""
    keeping = {} if body.keeping is None else {"keeping": body.keeping}
    node().ports.change_settings(
        language=body.language, theme=body.theme, single_keys=body.single_keys, **keeping
    )
    return _settings()
