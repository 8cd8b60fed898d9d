"""From bytes and arrays to lists: a list is one query with its documents."""
