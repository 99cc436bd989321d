"""A metric of our own: each function whose parameters are a query and a trace is one."""


def names_its_source(query, trace):
    """Does an answer from the handbook say that it comes from there?"""
    if not any(call.name == "search_handbook" for call in trace.calls):
        return None, "the handbook was not asked"
    return "handbook" in (trace.answer or "").lower()
