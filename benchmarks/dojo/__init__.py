"""Recorded traces of attacks on agents, replayed through the road: which calls would a person be asked about?"""
