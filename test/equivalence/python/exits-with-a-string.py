import sys
sys.exit("gone, with 理由")
