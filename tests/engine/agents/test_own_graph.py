"""A project's own graph: any nodes, synchronous or not, recorded like ours."""

import asyncio
import textwrap

import pytest

from studio.engine.agents.own_graph import load
from studio.engine.errors import RunError
from studio.engine.events import ModelCalled, StepEnded, StepStarted
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.trace import Trace

CALL = {"tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 1}}]}

LOOP = """
    from langchain_core.messages import AIMessage
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    def build(model, tools, prompt):
        bound = model.bind_tools(tools)

        async def think(state):
            return {"messages": [await bound.ainvoke(state["messages"])]}

        def think_in_a_thread(state):
            return {"messages": [bound.invoke(state["messages"])]}

        def after(state):
            return "act" if state["messages"][-1].tool_calls else "polish"

        async def polish(state):
            return {"messages": [AIMessage(state["messages"][-1].text.upper())]}

        graph = StateGraph(MessagesState)
        graph.add_node("think", NODE)
        graph.add_node("act", ToolNode(tools))
        graph.add_node("polish", polish)
        graph.add_edge(START, "think")
        graph.add_conditional_edges("think", after, ["act", "polish"])
        graph.add_edge("act", "think")
        graph.add_edge("polish", END)
        return graph
"""


@pytest.fixture
def own(stage, tmp_path):
    """Makes the stage play the graph that a project's file builds."""

    def play(source: str, **files: str):
        (tmp_path / "my_agent.py").write_text(textwrap.dedent(source))
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        variant = stage.setup().variant
        stage.graph = asyncio.run(load(tmp_path, "my_agent.py:build", variant))
        stage.is_own_graph = True
        return stage

    return play


@pytest.mark.parametrize("node", ["think", "think_in_a_thread"])
def test_a_graph_with_other_nodes_is_recorded_like_ours(own, scripted_ollama, node):
    scripted_ollama.play(
        {"rules": [{"tool_results": 0, "reply": CALL}], "default": {"content": "It is two."}}
    )
    stage = own(LOOP.replace("NODE", node))
    trace = stage.run()
    assert (trace.outcome, trace.answer) == (Outcome.FINISHED, "IT IS TWO.")
    assert [step.node for step in trace.steps] == ["think", "act", "think", "polish"]
    assert [(call.name, call.arguments) for call in trace.tool_calls] == [("add", {"a": 1, "b": 1})]
    assert [result.content for result in trace.tool_results.values()] == ["2"]
    steps = {step.node: step.step for step in trace.steps}
    assert trace.tool_calls[0].step == steps["act"]
    assert len(trace.replies) == 2
    # The model sees the schema that the project states, not what passed through a library.
    properties = scripted_ollama.chats()[0]["tools"][0]["function"]["parameters"]["properties"]
    assert properties["a"] == {"type": "integer", "minimum": 0}
    assert all(type(event.at) is float for event in trace.events)


def test_each_event_of_an_own_graph_lies_within_its_step(own, scripted_ollama):
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": CALL}]})
    trace = own(LOOP.replace("NODE", "think")).run()
    open_steps: set[str] = set()
    for event in trace.events[1:-1]:
        if isinstance(event, StepStarted):
            open_steps.add(event.step)
        assert event.step in open_steps
        if isinstance(event, StepEnded):
            open_steps.remove(event.step)
    assert not open_steps


def test_the_step_cap_holds_for_an_own_graph(own, scripted_ollama):
    scripted_ollama.play({"default": CALL})
    stage = own(LOOP.replace("NODE", "think"))
    stage.step_cap = 5
    trace = stage.run()
    assert (trace.outcome, trace.answer) == (Outcome.STEP_CAP, None)
    assert len(trace.steps) == 5


def test_a_tool_that_the_graph_refuses_is_in_the_trace(own, scripted_ollama):
    reply = {"tool_calls": [{"name": "subtract", "arguments": {"a": 1}}]}
    scripted_ollama.play({"rules": [{"tool_results": 0, "reply": reply}]})
    trace = own(LOOP.replace("NODE", "think")).run()
    [call] = trace.tool_calls
    assert (call.name, call.arguments) == ("subtract", {"a": 1})
    assert trace.tool_results[call.call].error == "unknown tool"


@pytest.mark.parametrize(
    ("define", "ask"), [("async def", "await mine.ainvoke"), ("def", "mine.invoke")]
)
def test_a_model_that_the_graph_brings_along_is_recorded_too(own, define, ask):
    source = """
        from langchain_core.language_models import FakeListChatModel
        from langgraph.graph import END, START, MessagesState, StateGraph

        def build(model, tools, prompt):
            mine = FakeListChatModel(responses=["My own words."])

            DEFINE speak(state):
                return {"messages": [ASK(state["messages"])]}

            graph = StateGraph(MessagesState)
            graph.add_node("speak", speak)
            graph.add_edge(START, "speak")
            graph.add_edge("speak", END)
            return graph.compile()
    """
    trace = own(source.replace("DEFINE", define).replace("ASK", ask)).run()
    assert trace.answer == "My own words."
    [reply] = trace.replies
    assert (reply.text, reply.step) == ("My own words.", trace.steps[0].step)
    assert trace.model_calls[0].sent["messages"][-1]["content"] == "What is 1 + 1?"


def test_a_graph_in_a_graph_nests_its_steps(own, scripted_ollama):
    stage = own("""
        from langgraph.graph import END, START, MessagesState, StateGraph

        def build(model, tools, prompt):
            async def ask(state):
                return {"messages": [await model.ainvoke(state["messages"])]}

            graph = None
            for name in ("ask", "inner", "outer"):
                inner, graph = graph, StateGraph(MessagesState)
                graph.add_node(name, inner.compile() if inner else ask)
                graph.add_edge(START, name)
                graph.add_edge(name, END)
            return graph
    """)
    trace = stage.run()
    started = [event for event in trace.events if isinstance(event, StepStarted)]
    assert [step.node for step in started] == ["outer", "inner", "ask"]
    assert [step.parent for step in started] == [None, started[0].step, started[1].step]
    assert trace.answer == "Hello."


def test_a_bug_in_a_node_is_the_agents_fault(own):
    stage = own("""
        from langgraph.graph import START, MessagesState, StateGraph

        def build(model, tools, prompt):
            def boom(state):
                return {}["missing"]

            graph = StateGraph(MessagesState)
            graph.add_node("boom", boom)
            graph.add_edge(START, "boom")
            return graph
    """)
    trace = stage.run()
    assert (trace.outcome, trace.end.failure) == (Outcome.FAILED, FailureClass.AGENT)
    assert trace.end.reason.startswith("KeyError: 'missing'")
    assert [e.error for e in trace.events if isinstance(e, StepEnded)] == ["'missing'"]


def test_waiting_for_the_model_inside_an_asynchronous_node_is_refused(own):
    stage = own("""
        from langgraph.graph import START, MessagesState, StateGraph

        def build(model, tools, prompt):
            async def ask(state):
                return {"messages": [model.invoke(state["messages"])]}

            graph = StateGraph(MessagesState)
            graph.add_node("ask", ask)
            graph.add_edge(START, "ask")
            return graph
    """)
    assert "ainvoke" in stage.run().end.reason


def test_a_synchronous_node_is_freed_when_its_trial_runs_out_of_time(own, scripted_ollama):
    scripted_ollama.play({"default": {"fault": "silence"}})
    stage = own(LOOP.replace("NODE", "think_in_a_thread"))
    stage.time_limit = 1.0
    trace = stage.run()
    assert trace.outcome is Outcome.TIMED_OUT
    assert scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")


def test_a_synchronous_node_is_freed_when_its_trial_is_cancelled(own, scripted_ollama):
    scripted_ollama.play({"default": {"fault": "silence"}})
    stage = own(LOOP.replace("NODE", "think_in_a_thread"))

    async def cancel_while_waiting() -> None:
        task = asyncio.create_task(stage.play())
        await asyncio.to_thread(scripted_ollama.wait_for, lambda log: len(log) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_while_waiting())
    assert Trace(stage.events).outcome is Outcome.CANCELLED
    assert scripted_ollama.wait_for(lambda log: log[-1]["ended"] == "client left")


def test_a_graph_that_stops_to_ask_a_person_fails_the_trial(own):
    stage = own("""
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import START, MessagesState, StateGraph
        from langgraph.types import interrupt

        def build(model, tools, prompt):
            async def ask(state):
                return {"messages": [interrupt("really?")]}

            graph = StateGraph(MessagesState)
            graph.add_node("ask", ask)
            graph.add_edge(START, "ask")
            return graph.compile(checkpointer=InMemorySaver())
    """)
    trace = stage.run()
    assert trace.end.failure is FailureClass.AGENT
    assert "interrupt" in trace.end.reason


def test_parallel_nodes_keep_their_own_events(own, scripted_ollama):
    rules = [
        {"user": "left", "reply": {"content": "L"}},
        {"user": "right", "reply": {"delay": 0.1}},
    ]
    scripted_ollama.play({"rules": rules})
    stage = own("""
        from langgraph.graph import START, MessagesState, StateGraph

        def build(model, tools, prompt):
            def asker(word):
                async def ask(state):
                    return {"messages": [await model.ainvoke(word)]}
                return ask

            graph = StateGraph(MessagesState)
            for word in ("left", "right"):
                graph.add_node(word, asker(word))
                graph.add_edge(START, word)
            return graph
    """)
    trace = stage.run()
    nodes = {step.step: step.node for step in trace.steps}
    called = [event for event in trace.events if isinstance(event, ModelCalled)]
    for call in called:
        assert call.sent["messages"][0]["content"] == nodes[call.step]
    assert {nodes[call.step] for call in called} == {"left", "right"}


@pytest.mark.parametrize(
    ("named", "source", "said"),
    [
        ("nothing", "", "names no function"),
        ("../elsewhere.py:build", "", "names no function"),
        ("other.py:build", "", "no file other.py"),
        ("my_agent.py:build", "build = 3", "no function build"),
        ("my_agent.py:build", "raise ValueError('at import')", "ValueError: at import"),
        ("my_agent.py:build", "import sys; sys.exit(3)", "SystemExit: 3"),
        ("my_agent.py:build", "def build(model, tools, prompt): return 7", "returned int"),
        ("my_agent.py:build", "def build(): ...", "TypeError"),
        ("my_agent.py:build", "def build(:", "SyntaxError"),
    ],
)
def test_what_cannot_be_loaded_is_told_with_what_to_do(stage, tmp_path, named, source, said):
    (tmp_path / "my_agent.py").write_text(source)
    with pytest.raises(RunError, match=said) as caught:
        asyncio.run(load(tmp_path, named, stage.setup().variant))
    assert caught.value.remedy


def test_a_module_beside_the_graph_is_read_anew_for_each_run(own, scripted_ollama):
    source = """
        from langchain_core.messages import AIMessage
        from langgraph.graph import START, MessagesState, StateGraph
        from beside_the_graph import WORD

        async def build(model, tools, prompt):
            graph = StateGraph(MessagesState)
            graph.add_node("say", lambda state: {"messages": [AIMessage(f"{prompt} {WORD}")]})
            graph.add_edge(START, "say")
            return graph
    """
    for word in ("one", "two and a half"):
        stage = own(source, beside_the_graph=f"WORD = {word!r}")
        stage.events.clear()
        assert stage.run().answer == f"Use the tools. {word}"
