"""Models: the Ollama client, the chat-model factory, calls found in text, the embedded server.

ollama        what a server is and has; which one a model spec means, checked before a run
chat          the chat-model factory over langchain-ollama, with a transport of ours
exchange      the facts of one model call, read from the wire
failures      what a server says when it fails, as a sentence with whose fault it was
window        prompts that a server cut in silence
found_calls   tool calls that a model wrote into its text
embedded/     the small server that is started where there is no Ollama
"""
