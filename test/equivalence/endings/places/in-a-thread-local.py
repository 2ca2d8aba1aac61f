import threading

local = threading.local()
local.kept = begin()
