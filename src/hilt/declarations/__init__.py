"""What the model sees of a tool.

Start with `declaration.py`. `description.py` holds its words, `parameters.py` what stands beside
a parameter's type, `schema.py` the JSON Schemas, `shapes.py` questions to them, `references.py`
the ids they declare, `effects.py` what a call does to the world, `checks.py` rules across fields,
`names.py` what a tool may be called, `characters.py` what of a text nobody sees. Nothing here holds
a function: `@tool` is in `hilt.calls`, for it needs the Context a function may ask for.
"""
