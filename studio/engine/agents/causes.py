"""What an exception of a project's graph stems from: a model's fault is not the graph's.

A graph may catch what its model raised and raise something of its own, or ask a model by itself.
"""

from collections.abc import Iterator

import httpx

from studio.engine.models import failures
from studio.engine.models.client import ResponseError
from studio.engine.models.failures import ModelFault


def behind(error: BaseException) -> ModelFault | None:
    """The fault of a model or of its server behind an exception, however it was wrapped."""
    return next(filter(None, map(_fault, _chain(error))), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _fault(error: BaseException) -> ModelFault | None:
    match error:
        case ModelFault():
            return error
        case httpx.TransportError():
            return failures.from_transport(error, _address(error))
        case ResponseError():
            return failures.from_status(error.status_code, error.error)
    return None


def _address(error: httpx.RequestError) -> str:
    try:
        url = error.request.url
    except RuntimeError:  # how httpx says that it does not know
        return "the address that was asked"
    return f"{url.scheme}://{url.netloc.decode()}"
