import sys

sys.stdout.reconfigure(encoding="gbk")
print("你好，世界", sys.stdout.encoding, sys.stdout.errors)
