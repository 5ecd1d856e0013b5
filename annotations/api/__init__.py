"""The REST API of what people read and write: the same services and the same rules as the screens."""
