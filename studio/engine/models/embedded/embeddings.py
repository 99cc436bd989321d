"""Sentence embeddings by all-MiniLM-L6-v2, where sentence-transformers is installed.

Without it, this is a server without embeddings and says so as a real one does.
"""

import time
from functools import cache
from importlib.util import find_spec
from typing import Any

from studio.engine.errors import WeightsError
from studio.engine.models.embedded import asked
from studio.engine.models.embedded.asked import EmbedRequest, Refusal
from studio.engine.models.embedded.weights import ensure_embedding_weights

NAMES = ("all-minilm", "all-minilm:latest", "all-minilm:l6-v2")
_NONE = "This server does not support embeddings. Start it with `--embeddings`"
_TOO_LONG = "the input length exceeds the context length"
_WINDOW = 512


def is_there() -> bool:
    """Whether sentence-transformers is installed (the extra `judges` brings it)."""
    return find_spec("sentence_transformers") is not None


def embed(wanted: EmbedRequest) -> dict[str, Any]:
    """The answer of /api/embed; slow, so called in a thread.  Raises Refusal."""
    began = time.perf_counter_ns()
    model = wanted.model or ""
    if model.lower() not in NAMES:
        asked.named(model, embed=True)
    texts = _texts(wanted.input)
    if model.lower() not in NAMES or not is_there():
        raise Refusal(501, _NONE)
    if not texts:
        return {"model": model, "embeddings": []}
    encoder = _encoder()
    loaded = time.perf_counter_ns()
    counts = [len(encoder.tokenizer(text)["input_ids"]) for text in texts]
    if wanted.truncate is False and max(counts) > _WINDOW:
        raise Refusal(400, _TOO_LONG)
    vectors = encoder.encode(
        texts,
        normalize_embeddings=True,
        truncate_dim=wanted.dimensions or None,
        show_progress_bar=False,
    )
    return {
        "model": model,
        "embeddings": vectors.tolist(),
        "total_duration": time.perf_counter_ns() - began,
        "load_duration": loaded - began,
        "prompt_eval_count": sum(min(count, _WINDOW) for count in counts),
    }


def _texts(given: Any) -> list[str]:
    if given is None or given == "":
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and all(isinstance(text, str) for text in given):
        return given
    raise Refusal(400, "invalid input type")


@cache
def _encoder() -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        folder = ensure_embedding_weights(lambda _done, _total: None)
    except WeightsError as error:
        raise Refusal(500, str(error)) from error
    encoder = SentenceTransformer(str(folder), local_files_only=True, device="cpu")
    encoder.max_seq_length = _WINDOW
    return encoder
