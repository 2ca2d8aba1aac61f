import concurrent.futures
import time


def work(number):
    time.sleep(0.02)
    print("work", number)


pool = concurrent.futures.ThreadPoolExecutor(1)
for number in range(3):
    pool.submit(work, number)
