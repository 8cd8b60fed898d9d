"""The emulated tools themselves, on random data: `make test-live`. One file a tool."""
