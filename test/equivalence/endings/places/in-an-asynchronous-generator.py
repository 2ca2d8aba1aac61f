async def lines():
    with begin() as file:
        yield file


generator = lines()
try:
    generator.asend(None).send(None)
except StopIteration as stop:
    print(stop.value.name)
