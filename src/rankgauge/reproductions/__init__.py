"""What published documents print, computed again."""
