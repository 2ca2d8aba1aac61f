import helper

helper.kept = begin()
print(helper.use() is helper.kept)
