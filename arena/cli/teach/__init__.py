"""The commands of the panel "Give a course"."""
