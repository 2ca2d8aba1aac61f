mark = "own subprocess"
