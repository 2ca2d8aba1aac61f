mark = "own logging"
