"""Writers of the reference pages: each yields the paragraphs of one page, read from a registry."""
