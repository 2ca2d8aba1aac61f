import contextvars
import threading

variable = contextvars.ContextVar("variable", default="default")
print(len(contextvars.copy_context()))
variable.set("main")
seen = []
thread = threading.Thread(target=lambda: seen.append(variable.get()))
thread.start()
thread.join()
print(variable.get(), seen, contextvars.copy_context().run(variable.get))
