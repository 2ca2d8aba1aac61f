import logging
import multiprocessing
import os
import subprocess
import threading
import uuid

record = logging.makeLogRecord({})
print(logging.LogRecord("", 0, "", 0, "", (), None).process == os.getpid(), record.process == os.getpid())
print(multiprocessing.current_process().pid == os.getpid(), multiprocessing.current_process().ident == os.getpid())
print(multiprocessing.parent_process(), threading.main_thread().native_id == os.getpid())
print(subprocess.check_output(["sh", "-c", "echo $PPID"], text=True).strip() == str(os.getpid()))
print(os.readlink("/proc/self") == str(os.getpid()), uuid.getnode() == uuid.getnode())
