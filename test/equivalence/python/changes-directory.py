import os
import sys

os.mkdir("below")
os.chdir("below")
open("here.txt", "w").close()
print(os.getcwd(), __file__, sys.path[0], os.path.abspath("x"))
raise ValueError("from elsewhere")
