"""The layers by which two texts are compared, each in a module of its own."""
