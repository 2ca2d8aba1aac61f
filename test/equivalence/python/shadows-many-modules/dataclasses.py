mark = "own dataclasses"
