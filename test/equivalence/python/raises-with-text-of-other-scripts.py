def 计算(值):
    raise ValueError("不行 🙈 " + 值)


计算("é")
