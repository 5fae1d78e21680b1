"""Ways to partition a table's cells into groups that meet every requirement."""
