def fine():
    return 1


print("never printed"
value = = 2
