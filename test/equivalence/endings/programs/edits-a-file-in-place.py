import fileinput

with open("text.txt", "w") as file:
    file.write("one\ntwo\nthree\n")
lines = fileinput.input("text.txt", inplace=True)
for line in lines:
    print(line.upper(), end="")
    if line == "two\n":
        break
