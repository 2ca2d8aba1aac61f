import os

for name, value in sorted(os.environ.items()):
    print(name, "=", value)
print(os.environb[b"HOB_RUN_ID"], os.getenv("HOB_RUN_ID"), len(os.environ))
