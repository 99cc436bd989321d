"""The probes that were made: one file in the user's data folder, by server, digest and version."""

import logging
from collections.abc import Sequence

import msgspec

from studio.engine import files
from studio.engine.offers import FoundModel, Probe
from studio.folders import data_folder

_FILE = "probes.json"
_MOST = 500
_log = logging.getLogger("studio.probes")


def keep(probe: Probe) -> None:
    """Keep the probe, in place of an earlier one of the same.  Raises StudioError."""
    same = (probe.server, probe.server_version, probe.digest)
    others = [kept for kept in all_probes() if not kept.is_of(*same)]
    kept = [*others, probe][-_MOST:]
    files.write(data_folder() / _FILE, msgspec.json.format(msgspec.json.encode(kept)))


def all_probes() -> tuple[Probe, ...]:
    """Every probe that is kept, the oldest first.  A file that cannot be read holds none."""
    try:
        return msgspec.json.decode((data_folder() / _FILE).read_bytes(), type=tuple[Probe, ...])
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        _log.warning("the probes that were kept could not be read: %s", error)
        return ()


def of_models(server: str, version: str, models: Sequence[FoundModel]) -> tuple[Probe, ...]:
    """The probes of these models as they are on that server at that version."""
    digests = {model.digest for model in models if model.digest}
    return tuple(
        probe
        for probe in all_probes()
        if probe.digest in digests and probe.is_of(server, version, probe.digest)
    )
