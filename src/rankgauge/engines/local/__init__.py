"""The local engine: files, frames and dicts of any size, read on this machine over several threads."""
