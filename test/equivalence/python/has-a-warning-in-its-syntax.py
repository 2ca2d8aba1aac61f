if "a" is "a":
    print("\d")
