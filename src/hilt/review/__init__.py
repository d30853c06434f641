"""Should it? Reviewers, judges and people who are asked.

Start with `people.py`: a question to a person and what may come back. This room names no model;
assembly hands judges in.
"""
