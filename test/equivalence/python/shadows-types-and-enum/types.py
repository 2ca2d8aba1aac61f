mark = "own types"
