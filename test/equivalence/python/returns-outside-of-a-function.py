print("never printed")
return 3
