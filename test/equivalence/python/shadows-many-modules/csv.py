mark = "own csv"
