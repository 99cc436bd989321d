"""The store: runs, trials, events and scores in one SQLite file, `.studio/runs.sqlite`.

`writer` is the only writer (in the engine process), `reader` what everything else uses (read-only,
in any process), `rows` what they speak of, `schema` the tables and their migrations, `opening` the
one way to open the file::

    Store (writer) --operations--> Committer (one thread) --> Batch --one transaction--> disk
                                                  events -> chunks, figures -> progress
    disk --> RunReader (reader) --rows, events--> window, command line, exports

`resume` says what is left to do of a run that was stopped or killed, `faults` puts what goes wrong
into words for a person.
"""
