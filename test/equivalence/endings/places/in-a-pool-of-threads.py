import concurrent.futures

pool = concurrent.futures.ThreadPoolExecutor(1)
future = pool.submit(begin)
future.result()
