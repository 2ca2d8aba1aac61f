import os

with open("/proc/self/environ", "rb") as file:
    seen = [item for item in file.read().split(b"\0") if item]
print(*seen, sep="\n")
print([item.partition(b"=")[0] for item in seen] == [os.fsencode(name) for name in os.environ])
print(all(os.environb[item.partition(b"=")[0]] == item.partition(b"=")[2] for item in seen))
