class Report:
    output = begin()

    def use(self):
        return self.output


print(Report().use() is Report.output)
