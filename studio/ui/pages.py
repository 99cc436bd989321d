"""The pages of the window, in the order of the list at the left: id and title."""

PAGES = {
    "evaluate": "Evaluate",
    "analysis": "Analysis",
    "prompts": "Prompts",
    "tools": "Tools",
    "queries": "Queries",
    "metrics": "Metrics",
    "runs": "Runs",
    "models": "Models",
}
