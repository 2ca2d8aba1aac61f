print(hash("text"), hash(b"bytes"), list({"a", "b", "c"}))
