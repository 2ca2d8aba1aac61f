exec(compile("import sys\nsys.exit(9)\n", "inner", "exec"))
