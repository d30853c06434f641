"""The console: a live page for the person behind a session.

Shows what runs, what waits for an answer, the bill, the taint and the jobs; built for the keyboard.

Not here: any decision, and any state of its own: it reads `store` and answers through `review`.

No code yet.
"""
