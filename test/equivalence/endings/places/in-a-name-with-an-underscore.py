_kept = begin()
