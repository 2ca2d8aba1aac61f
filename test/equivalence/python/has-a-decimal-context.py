import decimal

print(decimal.getcontext(), decimal.DefaultContext)
print(decimal.Decimal(1) / 7)
