"""Charts, drawn with pyqtgraph: the only place that imports it, and only once a chart is shown.

`loading` fetches the library beside the running window; `frame`, `bars` and `histogram` need it.
Charts take plain values and say by signal what was clicked.  Each has a table that holds the same
figures: the results.
"""
