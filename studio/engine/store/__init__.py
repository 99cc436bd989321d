"""The store: runs, trials, events and scores in one SQLite file, `.studio/runs.sqlite`.

`writer` is the only writer (in the engine process), `reader` what everything else uses (read-only,
in any process), `rows` what they speak of, `schema` the tables and their migrations.
"""
