import random

random.seed(1)
print(random.random(), random.sample(range(100), 5))
print(random.Random("text").getrandbits(64))
