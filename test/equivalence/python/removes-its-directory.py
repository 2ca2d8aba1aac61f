import os
import shutil

os.mkdir("below")
os.chdir("below")
shutil.rmtree("../below")
try:
    print(os.getcwd())
except FileNotFoundError as error:
    print(error)
