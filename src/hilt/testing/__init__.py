"""For authors of tools and their tests: a pytest plugin, assertions and fixtures.

Imported by test suites outside this package. Hilt's own tests use it too.

Not here: the scripted model (`agents`), judging declarations (`lint`).

No code yet.
"""
