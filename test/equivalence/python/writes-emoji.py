import sys

print("🙈🙉🙊 café 你好")
print("错误 ✗", file=sys.stderr)
print(ascii("🙈"), "\N{SNOWMAN}", "a\0b")
