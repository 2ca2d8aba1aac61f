import contextlib

stack = contextlib.ExitStack()
stack.enter_context(begin())
stack.callback(print, "never called")
