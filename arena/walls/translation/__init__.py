"""How a warden speaks with its agent: in our own protocol, or with an engine in the protocol of engines.

The reverse, an agent as an engine for other programs, is in `arena/as_engine`."""
