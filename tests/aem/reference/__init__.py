"""A second, deliberately plain reading of the AEM scoring rules, kept as an oracle for the engine.

Nothing here imports the engine, and nothing here is fast: dictionaries instead of classes, every order-respecting
matching tried instead of a clever search, every sum an exact fraction. When engine and reference agree on thousands of
random records, both read the rules the same way.
"""
