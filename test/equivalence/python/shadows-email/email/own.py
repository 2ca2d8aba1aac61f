mark = "own email"
