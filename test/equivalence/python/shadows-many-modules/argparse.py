mark = "own argparse"
