"""The server's side: referee, tournaments, ratings and the command line."""
