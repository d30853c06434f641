"""Work that outlives the call that started it: the engine protocol, job kinds, timers, the inbox.

A kind of job is known by its name alone; `assembly` registers what runs under that name.

Not here: watching a process (`workspace`, which this room calls), where the rows lie (`store`).

No code yet.
"""
