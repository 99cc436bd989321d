"""Models: the Ollama client, the chat-model factory, calls found in text, the embedded server.

addresses     addresses of servers, and names of models (`names`), as a person writes them
ollama        one server, asked; what it says of its models is read in `listed`
serving       whether a server can run a model, checked before a run
pooling       which servers are meant, and which of them have the very same model
servers       those servers with the model loaded; owns the embedded one
options       every option of a request, stated and kept
known         which servers may be asked; `finding` asks one for all that it has
desk          lists, pulls (`pulling`), deletes, unloads and probes, each when it is asked
probe/        a few questions that show what a model can do
chat          the chat-model factory over langchain-ollama, with a transport of ours
client        the official client, imported whatever the environment says
exchange      the facts of one model call, read from the wire
failures      what a server says when it fails, as a sentence with whose fault it was
estimate      how many tokens a text takes, guessed without the model's tokenizer
budget        what has to fit into a model's window
window        prompts and replies that a server cut in silence
rendering     a request as the model reads it, put into its template by the server
found_calls   tool calls that a model wrote into its text
embedded/     the small server that is started where there is no Ollama
"""
