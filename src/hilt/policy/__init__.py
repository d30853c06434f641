"""May it? Pure functions: facts in, a Decision and claims out.

Start with `policy.py`, where every layer is heard: `built_in.py`, `rules.py` (`matching.py` says what a
rule speaks of, `commanding.py` of which commands), `presets.py`, `taint.py`. `saving.py` says which leave is too
wide to keep, `programs` which programs are harmless. `claims.py` names what a decision must hold in
the store before a call may run. Nothing here looks at the disk, the clock or the network: facts
come from a `Resolver`, claims are taken by the store.
"""
