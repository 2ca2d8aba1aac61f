file = open("输出 文件.txt", "w", encoding="utf-8")
file.write("文字\n")
raise SystemExit("再见")
