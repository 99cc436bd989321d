"""What servers say when they fail, and whose fault each says that it is."""

import json

import pytest

from studio.engine.models import failures
from studio.engine.outcomes import FailureClass

UNREAD_CALLS = (
    "error parsing tool call: raw='{\"q\"]', err=invalid character ']'",
    'llama-server returned invalid tool call arguments for "price": unexpected end of JSON input',
    "XML syntax error on line 2: unexpected EOF",
    "failed to parse JSON: invalid character 'p' looking for beginning of value",
    "empty function name",
    'failed to parse function call "price(": invalid function call format',
    "invalid function call format",
    "failed to parse arguments: invalid argument format: grams",
    "failed to parse value for grams: unexpected end",
    "tool 'prize' not found",
    "incomplete GLM tool call: EOF",
    "failed to parse XML: EOF",
    'tool "prize" is not declared',
    'required argument "grams" is missing for tool "price"',
    "mismatched arg_key and arg_value counts: 1 keys, 2 values",
    "empty argument name",
    "failed to parse Laguna JSON tool call: unexpected end of JSON input",
    "empty Laguna tool call name",
    'undeclared Glimmer function "prize"',
    "missing ATEM invoke wrapper",
)
"""What the parsers of Ollama say, one for each family of models, of what they could not read."""

SERVERS_OWN = (
    "model 'small' not found",
    "registry.ollama.ai/library/small:latest does not support tools",
    "an error was encountered while running the model: unexpected EOF",
    "error unmarshalling llama-server response: invalid character",
    "llama-server process has terminated: signal: killed",
    "llama-server reported out-of-memory during startup: failed to allocate",
    "mlx runner failed: signal: killed",
    "timed out waiting for llama-server to start",
    "unable to load model: /models/blobs/sha256-0",
    "server busy, please try again.  maximum pending requests exceeded",
)


def said(text: str) -> failures.ModelFault:
    return failures.from_status(500, json.dumps({"error": text}))


@pytest.mark.parametrize("text", UNREAD_CALLS)
def test_a_call_that_no_parser_can_read_is_the_models_whichever_parser_says_so(text):
    fault = said(text)
    in_stream = failures.from_error(text, json.dumps({"error": text}))
    assert {fault.failure, in_stream.failure} == {FailureClass.MODEL_OUTPUT}
    assert "another prompt" in fault.remedy


@pytest.mark.parametrize("text", SERVERS_OWN)
def test_what_a_server_says_of_itself_is_never_the_models(text):
    assert said(text).failure is FailureClass.SERVER
    assert said(text).remedy


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "text",
    [
        "the input length exceeds the context length",
        "input length (5000 tokens) exceeds the model's maximum context length (4096 tokens)",
        "input after truncation exceeds maximum context length",
        "the prompt is longer than the context length currently available to the model",
    ],
)
def test_a_prompt_that_is_too_long_is_that_in_each_engines_words(status, text):
    fault = failures.from_status(status, json.dumps({"error": text}))
    assert fault.failure is FailureClass.TRUNCATED
    assert "num_ctx" in fault.remedy


def test_both_numbers_of_a_sentence_are_told():
    text = "input length (5000 tokens) exceeds the model's maximum context length (4096 tokens)"
    assert said(text).needed == 5000
    assert "5,000 tokens, the model's window (num_ctx) 4,096" in said(text).problem
