"""Item models: records as tables, a page at a time where there are many."""
