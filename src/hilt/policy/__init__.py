"""May it? Pure functions: facts in, a Decision and claims out.

Start with `decision.py`: layers, presets, rules. `claims.py` names what a decision must hold in
the store before a call may run. Nothing here looks at the disk, the clock or the network: facts
come from a `Resolver`, claims are taken by the store.
"""
