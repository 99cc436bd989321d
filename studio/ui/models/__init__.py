"""What views show: folds and orders without Qt, and the item models that hand them to Qt's views.

`outline` folds events into the rows of a trace, `tree` is its item model, `stored` where both read
from, `stepping` the way through it, `detail` what there is to read about a row.  `order` keeps
records sorted and filtered, `table` is its item model, `results` its columns for trials.  `figures`
and `totals` add trials up, by `measures`.  `records` lists what comes as a whole, such as queries.
"""
