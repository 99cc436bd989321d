"""The evaluation engine: queries and variants in, traces and scores out.  Imports no Qt.

A run goes one way, each stage a pure function or the single owner of its state::

    project folder --project.load--> Project (queries, prompts, tools, variants)
    RunPlan --runner--> trials: agents.run(...) -> events --store.append--> disk
    trial ends -> Trace (a fold over its events) --metrics--> scores --store--> disk
    store --analysis--> summaries          store --the window, the CLI, exports--> people

Facts and opinions are kept apart: events say what happened, scores say what a metric thinks
of it, and can be computed again from stored events without running anything (`scoring` is the one
way from criteria to opinions, `rescoring` applies it to a stored run, `metric_desk` when asked to,
`shared_scoring` on more than one core).

Read in this order: outcomes, records and server_facts (what everything is), events, trace,
errors, project/, models/, tools/, agents/, metrics/, analysis/, runner, store/, messages, launch
(with entering: how a run comes into the store, means: what its trials work with, and pool: the
servers that share them), workbench, process.
This package's modules are light to import; LangGraph, LangChain and llama.cpp are loaded only
by the modules that use them, and never in the window's process.
"""
