mark = "own os"
