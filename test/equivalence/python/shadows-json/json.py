mark = "own json"
