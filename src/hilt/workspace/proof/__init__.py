"""What a command line would do, as far as its grammar tells: the facts policy decides on.

Start with `proving.py`. `script.py` walks the tree, `simple_commands.py` and `script_words.py` read what is
in it, `decoding.py` a single word; `gathering.py` asks the tables of policy (`hilt.policy.programs`) and
turns their words into facts with `places.py` and `repositories.py`. Nothing here runs anything.
"""
