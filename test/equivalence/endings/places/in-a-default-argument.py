def use(kept=begin()):
    return kept
