"""The REST API of what the machine computes, and of imports and exports."""
