mark = "own random"
