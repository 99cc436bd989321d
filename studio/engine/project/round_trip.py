"""ruamel.yaml as the files of a project need it: what it reads, it writes as it was.

It differs from ruamel.yaml's own ways where the reader of the project's files does.
"""

import io
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.nodes import MappingNode, ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarfloat import ScalarFloat
from typing_extensions import override

_SEQUENCE = re.compile(r"^( *)[^\s#-][^\n]*:[ ]*(?:#[^\n]*)?\n( *)- ", re.MULTILINE)


def round_trip(like: str) -> YAML:
    """A round-trip YAML that indents lists as the text `like` does, and never breaks lines."""
    yaml = YAML()
    yaml.Composer = _Composer
    yaml.Representer = _Representer
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.allow_duplicate_keys = True
    found = _SEQUENCE.search(like)
    offset = max(0, len(found[2]) - len(found[1])) if found else 0
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    return yaml


def written(yaml: YAML, data: Any) -> str:
    """The data as text."""
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


class _Composer(Composer):
    """Takes each key for a text, as the reader does: `1:`, `null:`, a day, and `<<:` too."""

    @override
    def compose_node(self, parent: Any, index: Any) -> Any:
        node = super().compose_node(parent, index)
        if index is None and isinstance(parent, MappingNode) and isinstance(node, ScalarNode):
            node.tag = "tag:yaml.org,2002:str"
        return node


class _Representer(RoundTripRepresenter):
    """Writes a float that has an exponent as Python does: ruamel.yaml loses its last digit."""

    @override
    def represent_scalar_float(self, data: Any) -> Any:
        if data._exp is None:
            return super().represent_scalar_float(data)
        return self.represent_scalar("tag:yaml.org,2002:float", repr(float(data)))


_Representer.add_representer(ScalarFloat, _Representer.represent_scalar_float)
