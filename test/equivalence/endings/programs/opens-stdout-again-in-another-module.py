import os
import string

string.kept = os.fdopen(os.dup(1), "w")
string.kept.write("from a copy\n")
