"""Mistakes of the host program: the developer's or the operator's, never the model's.

    HiltError
      DeclarationError    a tool cannot be registered as it is written
      MissingPart         a tool asked its Context for a live part that nobody provided
      MissingExtra        an optional dependency is not installed
      ConfigError         a configuration file or value cannot be used
      StoreError          state cannot be read or kept
        StoreLocked         another process holds it longer than we wait
        StoreFull           the disk under it is full
        StoreNewer          a later Hilt wrote it
      WireError           a provider's message is not in the form the provider publishes
      EndpointError       a model endpoint could not be reached or answered with an error

What a model can act on is a `ToolFailure` instead: see `hilt.results.failures`.
"""

from hilt.errors.tree import (
    ConfigError,
    DeclarationError,
    EndpointError,
    HiltError,
    MissingExtra,
    MissingPart,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreNewer,
    WireError,
)

__all__ = [
    "ConfigError",
    "DeclarationError",
    "EndpointError",
    "HiltError",
    "MissingExtra",
    "MissingPart",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreNewer",
    "WireError",
]
