"""The model in memory: llama.cpp's own server inside this process, spoken to over loopback.

xllamacpp runs llama-server in threads; it is asked over HTTP because closing that connection is
what stops a generation at once, also while it still reads the prompt.  A random key keeps other
programs of this machine away from it.
"""

import asyncio
import json
import os
import secrets
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import xllamacpp

from studio.engine.models.embedded.asked import Refusal
from studio.engine.records import JsonObject

_STEP = 256  # The window is rounded up to a multiple of this.
_SPARE_PROMPTS_MIB = 256  # Prompts of other conversations, kept to be taken up again.
_BAR = "\n"  # No JSON and no tool's name begins with it.


class Llama:
    """The weights, loaded with one window at a time.  Owned by the server's event loop."""

    def __init__(self, weights: Path, trained: int) -> None:
        self._weights = weights
        self._trained = trained
        self._key = secrets.token_hex(16)
        self._server: Any = None
        self._client: httpx.AsyncClient | None = None
        self._enforced: dict[str, bool] = {}
        self.window = 0
        """The window that is loaded, in tokens; 0 while nothing is."""

    async def load(self, window: int) -> float:
        """Have the model loaded with room for `window` tokens; returns the seconds it took."""
        began = time.perf_counter()
        rounded = min(-(-max(window, 1) // _STEP) * _STEP, self._trained)
        if rounded != self.window:
            await self.unload()
            self._server = await asyncio.to_thread(self._start, rounded)
            self._client = httpx.AsyncClient(
                base_url=self._server.listening_address,
                headers={"authorization": f"Bearer {self._key}"},
                timeout=None,
                trust_env=False,
                # It closes idle connections on its own; one that is taken up then would fail.
                limits=httpx.Limits(max_keepalive_connections=0),
            )
            self.window = rounded
        return time.perf_counter() - began

    async def unload(self) -> None:
        """Free the model's memory."""
        server, self._server, self.window = self._server, None, 0
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        if server is not None:
            # Its destructor waits for llama.cpp's threads; the last reference goes over there.
            holder = [server]
            del server
            await asyncio.to_thread(holder.clear)

    async def tokens(self, text: str) -> list[int]:
        """The tokens of a prompt, with the template's markers read as such."""
        answer = await self._loaded().post(
            "/tokenize", json={"content": text, "parse_special": True}
        )
        found: list[int] = answer.raise_for_status().json()["tokens"]
        return found

    async def complete(self, asked: JsonObject) -> AsyncIterator[dict[str, Any]]:
        """llama.cpp's own events of one completion, the last one with `stop` and the counts.

        `asked` is the body of its `/completion`.  Raises Refusal with its status and its error
        object as text.  Abandoning the iteration stops the model.
        """
        body = {**asked, "stream": True, "cache_prompt": True}
        async with self._loaded().stream("POST", "/completion", json=body) as response:
            if response.status_code != httpx.codes.OK:
                raise Refusal(response.status_code, (await response.aread()).decode())
            async for line in response.aiter_lines():
                kind, _, data = line.partition(": ")
                if kind == "error":
                    raise Refusal(500, data)
                if kind == "data" and data != "[DONE]":
                    yield json.loads(data)

    async def enforces(self, grammar: str) -> bool:
        """Whether llama.cpp can compile the grammar; it silently ignores one that it cannot.

        Found out with one token: the model is pushed to write what no grammar of ours allows.
        """
        if grammar not in self._enforced:
            barred = (await self.tokens(_BAR))[0]
            asked = {
                "prompt": [barred], "n_predict": 1, "temperature": 0, "grammar": grammar,
                "logit_bias": [[barred, 100]],
            }  # fmt: skip
            written = "".join([event["content"] async for event in self.complete(asked)])
            self._enforced[grammar] = written != _BAR
        return self._enforced[grammar]

    def _loaded(self) -> httpx.AsyncClient:
        if self._client is None:
            raise RuntimeError("the model is not loaded")
        return self._client

    def _start(self, window: int) -> Any:
        asked = xllamacpp.CommonParams()
        asked.model.path = str(self._weights)
        asked.n_ctx = window
        asked.n_parallel = 1
        threads = max((os.cpu_count() or 2) - 1, 1)
        asked.cpuparams.n_threads = threads
        asked.cpuparams_batch.n_threads = threads
        asked.n_gpu_layers = 0
        asked.warmup = False
        asked.ctx_shift = True
        asked.cache_ram_mib = _SPARE_PROMPTS_MIB
        asked.api_keys = [self._key]
        asked.verbosity = -1
        return xllamacpp.Server(asked)
