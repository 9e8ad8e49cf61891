"""The LoRA adapters that a model has in memory, and the one that is in use.

Loading one takes some milliseconds, putting a loaded one on none at all; so the last few stay
loaded. A file is known by what the disk says of it, not by its name alone: one that was written
anew is another adapter, and one that is gone is nobody's, though it may still be in memory.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import llama_cpp

from lpm_kernel.domain.ports import Adapter
from lpm_kernel.errors import ModelUnavailableError

KEPT = 4
"""Adapters that stay loaded: the current one, the one before, and those that are compared with
them.
"""

ONLY_THE_BASE = "The base model answers as before; choose another version, or train again."


@dataclass(frozen=True)
class Worn:
    """Which weights a state was made with. States of different weights mean nothing to each
    other.
    """

    adapter: str = ""
    file: tuple[int, int, int] = (0, 0, 0)
    """Inode, time of writing and size."""
    scale: float = 0.0


BASE = Worn()
"""The base model's weights alone."""


class Adapters:
    """Adapters of one model and one context. Not safe for threads: whoever has the model's turn
    calls it.
    """

    def __init__(self, llama: llama_cpp.Llama, kept: int = KEPT) -> None:
        self._llama = llama
        self._kept = kept
        self._loaded: OrderedDict[tuple[str, tuple[int, int, int]], Any] = OrderedDict()
        self.worn = BASE
        """What is in use now."""

    def __len__(self) -> int:
        return len(self._loaded)

    def use(self, adapter: Adapter | None) -> Worn:
        """Put this one on, or none, and return what is in use then.

        Raises ``ModelUnavailableError`` when there is no such file or llama.cpp does not take it;
        then the one before stays on.
        """
        wanted = self._seen(adapter)
        if wanted == self.worn:
            return wanted
        if adapter is None or wanted == BASE:
            llama_cpp.llama_set_adapters_lora(self._llama.ctx, None, 0, None)
        else:
            handle = self._load(adapter, wanted)
            llama_cpp.llama_set_adapters_lora(
                self._llama.ctx, (type(handle) * 1)(handle), 1, (ctypes.c_float * 1)(wanted.scale)
            )
        self.worn = wanted
        while len(self._loaded) > self._kept:
            self._free(next(iter(self._loaded)))
        return wanted

    def forget(self, identifier: str) -> None:
        """Take an adapter out of memory, in every version of its file; the base is in use
        afterwards if that one was.
        """
        if self.worn.adapter == identifier:
            self.use(None)
        for key in [key for key in self._loaded if key[0] == identifier]:
            self._free(key)

    def _seen(self, adapter: Adapter | None) -> Worn:
        if adapter is None or adapter.scale == 0:
            return BASE
        try:
            found = adapter.path.stat()
        except OSError as error:
            raise ModelUnavailableError(
                f"The adapter “{adapter.id[:80]}” no longer exists.", ONLY_THE_BASE
            ) from error
        return Worn(adapter.id, (found.st_ino, found.st_mtime_ns, found.st_size), adapter.scale)

    def _load(self, adapter: Adapter, wanted: Worn) -> Any:  # noqa: ANN401 - llama.cpp's pointer
        key = (wanted.adapter, wanted.file)
        if key not in self._loaded:
            handle = llama_cpp.llama_adapter_lora_init(
                self._llama.model, str(adapter.path).encode()
            )
            if not handle:
                raise ModelUnavailableError(
                    f"The adapter “{adapter.id[:80]}” could not be loaded: it is damaged, or was"
                    " trained on another base model.",
                    ONLY_THE_BASE,
                )
            self._loaded[key] = handle
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def _free(self, key: tuple[str, tuple[int, int, int]]) -> None:
        llama_cpp.llama_adapter_lora_free(self._loaded.pop(key))
