"""What appears on a terminal: tables, boards, live screens, wrapped lines. Nothing here knows a command."""
