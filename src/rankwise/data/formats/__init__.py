"""One file format a module: bytes in, lists out, and back."""
