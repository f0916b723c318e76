"""What declarations are made of: frozen records, options, typed parameters, small texts, and the registry."""
