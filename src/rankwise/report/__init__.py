"""Words, tables and pictures of what other rooms found."""
