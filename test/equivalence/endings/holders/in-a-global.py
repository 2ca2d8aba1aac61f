class Report:
    pass


kept = begin()
