"""How good is a ranking of documents?

::

    measures.py   recall@k, precision@k, reciprocal rank, nDCG@k, context precision: pure functions
    documents.py  the ranking that the tool results of a trial make
    metrics.py    the metrics of the catalogue
"""
