echo 你好
