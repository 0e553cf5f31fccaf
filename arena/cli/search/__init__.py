"""The commands of the panel "Search explained"."""
