with open(__file__, "a") as own:
    own.write("print('appended')\n")
print("original")
