mark = "own string"
