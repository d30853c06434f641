"""One failed call, located: not offered, chosen wrongly, filled wrongly, altered, or misread.

Takes a trace and answers with the layer, the evidence as quoted, the fix, and what stays unknown.

Not here: comparing whole runs (`evals`), trying a live server (`probes`).

No code yet.
"""
