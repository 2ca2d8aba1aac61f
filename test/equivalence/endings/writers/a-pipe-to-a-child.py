import subprocess


def begin():
    child = subprocess.Popen(
        ["sh", "-c", "cat > child.part; mv child.part child.txt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    child.stdin.write("text for the child\n")
    return child
