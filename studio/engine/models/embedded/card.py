"""What the model says about itself: the answers of /api/tags, /api/show and /api/ps.

`metadata` is what the weights' own head says (see `gguf`); shapes are those of a real server.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from studio.engine.models.embedded import gguf, template
from studio.engine.models.embedded.weights import MODEL, WEIGHTS

# Newer than any client asks for; the suffix says whose server it is.
VERSION = "0.30.0-embedded"
CAPABILITIES = ("completion", "tools")
# What holds where a request does not say otherwise, as a Modelfile would state it.
PARAMETERS: dict[str, Any] = {"num_predict": 512, "repeat_penalty": 1.0, "stop": ["<|im_end|>"]}


class Card:
    """The model at `weights` as the API describes it."""

    def __init__(self, weights: Path) -> None:
        self._head = gguf.read_head(weights)
        stat = weights.stat()
        self.size = stat.st_size
        self.modified = rfc3339(datetime.fromtimestamp(stat.st_mtime, UTC))
        self.trained_window: int = self._head.metadata["llama.context_length"]

    def listed(self) -> dict[str, Any]:
        """An item of /api/tags."""
        details = self._details()
        details["context_length"] = self.trained_window
        details["embedding_length"] = self._head.metadata["llama.embedding_length"]
        return {
            "name": MODEL,
            "model": MODEL,
            "modified_at": self.modified,
            "size": self.size,
            "digest": WEIGHTS.sha256,
            "details": details,
            "capabilities": list(CAPABILITIES),
        }

    def shown(self) -> dict[str, Any]:
        """The answer of /api/show."""
        parameters = "\n".join(_parameter_lines())
        lines = [f"FROM {WEIGHTS.path}", f'TEMPLATE """{template.DESCRIPTION}"""']
        lines += [f"PARAMETER {' '.join(line.split())}" for line in _parameter_lines()]
        return {
            "modelfile": "\n".join(lines) + "\n",
            "parameters": parameters,
            "template": template.DESCRIPTION,
            "details": self._details(),
            "model_info": {
                **self._head.metadata,
                "general.parameter_count": self._head.parameter_count,
            },
            "tensors": [
                {"name": tensor.name, "type": tensor.type, "shape": list(tensor.shape)}
                for tensor in self._head.tensors
            ],
            "capabilities": list(CAPABILITIES),
            "modified_at": self.modified,
        }

    def loaded(self, window: int, expires: datetime) -> dict[str, Any]:
        """An item of /api/ps; `window` is the one that was asked for, in tokens."""
        return {
            "name": MODEL,
            "model": MODEL,
            "size": self.size + window * self._bytes_a_token(),
            "digest": WEIGHTS.sha256,
            "details": self._details(),
            "expires_at": rfc3339(expires),
            "size_vram": 0,
            "context_length": window,
        }

    def _bytes_a_token(self) -> int:
        # Keys and values in 16 bits for every layer and key-value head.
        about = self._head.metadata
        width = about["llama.embedding_length"] // about["llama.attention.head_count"]
        return int(
            2 * 2 * width * about["llama.attention.head_count_kv"] * about["llama.block_count"]
        )

    def _details(self) -> dict[str, Any]:
        return {
            "parent_model": "",
            "format": "gguf",
            "family": "llama",
            "families": ["llama"],
            "parameter_size": f"{self._head.parameter_count / 1e6:.2f}M",
            "quantization_level": "Q4_1",
        }


def rfc3339(moment: datetime) -> str:
    """A UTC time as Ollama writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _parameter_lines() -> list[str]:
    lines = []
    for name, value in PARAMETERS.items():
        for one in value if isinstance(value, list) else [value]:
            text = f'"{one}"' if isinstance(one, str) else str(one)
            lines.append(f"{name:<30} {text}")
    return lines
