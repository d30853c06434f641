"""Token economy: an agent's day in 24 jobs, done by Hilt and by its peers. Start with `README.md`, then `jobs.py`."""
