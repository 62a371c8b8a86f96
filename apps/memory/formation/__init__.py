"""Formation: memories that are made of what agents say, as proposals.

Off until an agent's setting asks for it. What a turn says becomes proposals, which stay
out of searches and contexts until somebody accepts them.
"""
