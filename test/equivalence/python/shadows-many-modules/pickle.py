mark = "own pickle"
