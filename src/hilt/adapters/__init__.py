"""Wire formats: a provider's request and reply on one side, our nouns on the other.

One module for each provider or framework. Vendor SDKs are imported here and nowhere else, and only
where a framework cannot be met without its own classes.

Not here: sending anything to a model (`agents`), running a call (`runtime`).

No code yet.
"""
