"""How each system's tools do each job: the shortest sensible sequence of somebody who does not know the answer.

A script sees what the person asked (`told`) and what the tools said, and nothing else. It is named
like its job; a job without a script is one the system's tools cannot do.
"""
