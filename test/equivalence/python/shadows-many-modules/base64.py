mark = "own base64"
