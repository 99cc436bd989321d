"""The desk's graph: the loop of model and tools, and a user who may have more to say."""

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

SAYS_NEXT = {
    "My email is old@example.com": "Actually, my email changed: it is new@example.com now",
    "Actually, my email changed": "Send the link again",
}
"""What the user says when the agent has answered, by the beginning of what was said last."""


def build(model, tools, prompt):
    bound = model.bind_tools(tools)

    async def desk(state):
        messages = [SystemMessage(prompt), *state["messages"]]
        return {"messages": [await bound.ainvoke(messages)]}

    def says(state):
        said = [message.text for message in state["messages"] if message.type == "human"]
        begun = (text for start, text in SAYS_NEXT.items() if said[-1].startswith(start))
        return next(begun, None)

    def user(state):
        return {"messages": [HumanMessage(says(state))]}

    def after(state):
        if state["messages"][-1].tool_calls:
            return "tools"
        return "user" if says(state) else END

    graph = StateGraph(MessagesState)
    graph.add_node("desk", desk)
    graph.add_node("tools", ToolNode(tools))
    graph.add_node("user", user)
    graph.add_edge(START, "desk")
    graph.add_conditional_edges("desk", after, ["tools", "user", END])
    graph.add_edge("tools", "desk")
    graph.add_edge("user", "desk")
    return graph
