import functools


class Report:
    @functools.cached_property
    def output(self):
        return begin()


report = Report()
print(report.output is report.output)
