"""The loop: a model's turn, the road, the next turn.

Holds the model protocol, the endpoints that speak it, and a scripted model that ships for tests.

Not here: wire formats (`adapters`), what one call goes through (`runtime`).

No code yet.
"""
