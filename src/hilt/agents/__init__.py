"""The loop: a model's turn, the road, the next turn.

Start with `loop.py`. `model.py` is the protocol of a model, `replies.py` what is read in its answers
beside the calls; `endpoint.py` speaks to a server, `scripted.py` follows a script, for tests and for
trying things without a key. `steps.py` and `bill.py` are what a loop records.

Not here: wire formats (`adapters`), what one call goes through (`runtime`).
"""
