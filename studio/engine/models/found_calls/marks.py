"""What is no call but tells something of the model: the remarks that `find` makes."""

RESULT = "invented a tool result"
MARKER = "a tool marker without a call"
SCHEMA = "a tool's schema repeated"
THOUGHT = "a tool call within the thinking"
TALK = "spoke of a tool call without making one"
