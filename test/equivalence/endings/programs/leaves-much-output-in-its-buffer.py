import sys

sys.stdout.write("x" * 5000)
sys.stdout.write("\nno newline at the end")
