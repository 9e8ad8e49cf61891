"""Keys for other programs, as clients see them."""

from __future__ import annotations

from lpm_kernel.api.home.key_schemas import KeyOut
from lpm_kernel.domain.stores import ApiKey


def serialise_key(key: ApiKey) -> KeyOut:
    """Show a key, without its secret."""
    return KeyOut(
        id=key.id,
        name=key.name,
        scopes=list(key.scopes),
        created_at=key.created_at,
        last_used_at=key.last_used_at,
    )
