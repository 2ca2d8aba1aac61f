import subprocess

print(subprocess.__file__, subprocess.selectors.mark)
