"""What appears on a terminal: tables, boards, live screens, folded lines. Nothing here knows a command."""
