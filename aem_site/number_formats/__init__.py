"""How figures are written, by language; see FORMAT_MODULE_PATH."""
