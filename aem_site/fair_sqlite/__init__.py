"""Django's SQLite back end with writers that wait their turn (`base.py`)."""
