"""The commands of the panel "Teach a course"."""
