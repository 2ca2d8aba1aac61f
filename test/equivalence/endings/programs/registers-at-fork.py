import os

file = open("out.txt", "w")
os.register_at_fork(
    before=lambda: file.write("before\n"),
    after_in_parent=lambda: file.write("in the parent\n"),
    after_in_child=lambda: file.write("in the child\n"),
)
child = os.fork()
if child != 0:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
