import multiprocessing

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    pool = context.Pool(2)
    print(pool.map(abs, [-1, -2, -3]))
    file = open("out.txt", "w")
    file.write("kept\n")
