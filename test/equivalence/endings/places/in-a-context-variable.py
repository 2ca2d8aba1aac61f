import contextvars

variable = contextvars.ContextVar("variable")
variable.set(begin())
