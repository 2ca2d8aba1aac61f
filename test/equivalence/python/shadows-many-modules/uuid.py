mark = "own uuid"
