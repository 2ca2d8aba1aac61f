print("printed before")
raise ValueError("an error")
