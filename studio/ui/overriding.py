"""`override` for modules of the first paint, where importing typing_extensions would be felt."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import override
else:
    Method = TypeVar("Method", bound=Callable)

    def override(method: Method) -> Method:
        return method


__all__ = ["override"]
