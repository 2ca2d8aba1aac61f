import builtins
import codecs
import contextvars
import decimal
import linecache
import locale
import logging
import mimetypes
import multiprocessing
import signal
import socket
import tempfile
import threading
import warnings

print(linecache.cache, tempfile.tempdir, mimetypes.inited, socket.getdefaulttimeout(), locale.setlocale(locale.LC_ALL))
print(decimal.getcontext(), logging.root.handlers, logging.root.level, sorted(logging.root.manager.loggerDict))
print(len(contextvars.copy_context()), multiprocessing.current_process().name, multiprocessing.active_children())
print(multiprocessing.get_start_method(allow_none=True), signal.getsignal(signal.SIGCHLD), signal.getsignal(signal.SIGINT))
print(sorted(vars(builtins)), builtins.__import__, builtins.open, warnings.showwarning.__name__)
print(threading.current_thread().name, threading.main_thread().ident == threading.get_ident(), threading.stack_size())
print(codecs.lookup("utf-8").name, threading.excepthook, threading.gettrace(), threading.getprofile())
