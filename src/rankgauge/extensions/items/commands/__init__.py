"""The commands of this extension, a module each."""
