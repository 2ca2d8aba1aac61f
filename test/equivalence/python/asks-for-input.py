try:
    input("in a try: ")
except EOFError as error:
    print(error)
input("a question? ")
