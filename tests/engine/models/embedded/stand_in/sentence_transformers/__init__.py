"""What the embedded server uses of sentence-transformers, without a model: vectors out of hashes.

The same text has the same vector, of the right length; what it means plays no part.
"""

import hashlib
import re
from collections.abc import Sequence

import numpy

_LENGTH = 384


class SentenceTransformer:
    """Counts and embeds texts."""

    def __init__(self, folder: str, *, local_files_only: bool, device: str) -> None:
        assert local_files_only, "it would ask the network"
        assert device == "cpu"
        self.max_seq_length = 256

    def tokenizer(self, text: str) -> dict[str, list[int]]:
        """A token for each word and sign, between those for the beginning and the end."""
        return {"input_ids": [101, *map(len, re.findall(r"\w+|[^\w\s]", text)), 102]}

    def encode(
        self,
        texts: Sequence[str],
        *,
        normalize_embeddings: bool,
        truncate_dim: int | None,
        show_progress_bar: bool,
    ) -> numpy.ndarray:
        """A row for each text, cut to `truncate_dim` and then of length 1."""
        assert normalize_embeddings
        assert not show_progress_bar
        vectors = numpy.stack([_vector(text) for text in texts])[:, :truncate_dim]
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def _vector(text: str) -> numpy.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return numpy.random.default_rng(seed).standard_normal(_LENGTH)
