# A part of host.py: the addresses in the memory of this process that contain what it was started with. They are the
# same in all processes that are forked from this one.
import ctypes

COOKIE = "HOB_RUN_ID"
SEARCH_PATH = "PYTHONPATH"
WIDE = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


class Memory:
    def __init__(self, stand_in, names, cookie):
        self.stand_in = stand_in
        # The addresses where Python stores the name of its script, as wide characters of C.
        self.names = names
        # The address where other processes read the cookie of the run.
        self.cookie = cookie
        self.arguments, self.arguments_end, self.environment, self.environment_end = fields_of_stat(48, 49, 50, 51)

    def has_room_for(self, name, arguments):
        room = self.arguments_end - self.arguments
        return len(name) < len(self.stand_in) and len(arguments) <= room

    def rename(self, name, arguments, run_id):
        """Overwrites the name of the script, the arguments that other processes see, and the cookie."""
        wide = self.stand_in.encode(WIDE)
        handle = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            for place in self.names:
                # A copy that Python no longer needs may have been overwritten.
                if os.pread(handle, len(wide), place) == wide:
                    os.pwrite(handle, (name + "\0").encode(WIDE, "surrogatepass"), place)
            room = self.arguments_end - self.arguments
            os.pwrite(handle, arguments.ljust(room, b"\0"), self.arguments)
            os.pwrite(handle, run_id, self.cookie)
        finally:
            os.close(handle)


def find_memory(stand_in):
    """Returns None where the system does not give access to the memory."""
    try:
        handle = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            names = find_all(handle, stand_in.encode(WIDE))
            start, end = fields_of_stat(50, 51)
            environment = b"\0" + os.pread(handle, end - start, start)
        finally:
            os.close(handle)
        cookie = start + environment.index(b"\0" + COOKIE.encode() + b"=") + len(COOKIE) + 1
        return Memory(stand_in, names, cookie) if names else None
    except (OSError, ValueError):
        return None


def find_all(handle, wanted):
    places = []
    with open("/proc/self/maps") as file:
        lines = file.readlines()
    for line in lines:
        span, access, _, _, inode, *name = line.split(None, 5)
        # Memory that C allocates is neither a file nor the stack.
        if not access.startswith("rw") or inode != "0" or (name and name[0].startswith(("[stack", "[v"))):
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        content = os.pread(handle, end - start, start)
        at = content.find(wanted)
        while at >= 0:
            places.append(start + at)
            at = content.find(wanted, at + len(wanted))
    return places


def fields_of_stat(*numbers):
    """Fields of /proc/self/stat, by their numbers in its manual page."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return [int(fields[number - 3]) for number in numbers]


def restore_search_path(memory, value):
    """Removes the folder of this program from PYTHONPATH, the last variable, also as other processes see it."""
    name = SEARCH_PATH.encode()
    handle = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
    try:
        room = memory.environment_end - memory.environment
        environment = os.pread(handle, room, memory.environment)
        at = (b"\0" + environment).rindex(b"\0" + name + b"=")
        if value is None:
            kept = environment[:at]
            del os.environ[SEARCH_PATH]
            import posix

            posix.environ.pop(name, None)
        else:
            kept = environment[:at] + name + b"=" + os.fsencode(value) + b"\0"
            replace_variable(name, os.fsencode(value))
        os.pwrite(handle, kept.ljust(room, b"\0"), memory.environment)
    finally:
        os.close(handle)
    end_environment(memory.environment + len(kept))


def replace_variable(name, value):
    """Sets Python's copies of a variable whose text in memory is replaced: `os.environ[name] = value` would create a
    new text."""
    import posix

    os.environ._data[name] = value
    posix.environ[name] = value


class MemoryMap(ctypes.Structure):
    """`struct prctl_mm_map` of Linux."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("start_code", "end_code", "start_data", "end_data", "start_brk", "brk")),
        *((name, ctypes.c_uint64) for name in ("start_stack", "arg_start", "arg_end", "env_start", "env_end", "auxv")),
        ("auxv_size", ctypes.c_uint32),
        ("exe_fd", ctypes.c_uint32),
    ]


def end_environment(end):
    """Tells the kernel where the variables end. If it refuses, other processes see empty variables at the end."""
    set_mm, set_mm_map = 35, 14
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    code, code_end, stack, data, data_end, brk = fields_of_stat(26, 27, 28, 45, 46, 47)
    arguments, arguments_end, environment = fields_of_stat(48, 49, 50)
    layout = MemoryMap(code, code_end, data, data_end, brk, libc.sbrk(0), stack)
    layout.arg_start, layout.arg_end, layout.env_start, layout.env_end = arguments, arguments_end, environment, end
    layout.exe_fd = 0xFFFFFFFF
    size = ctypes.c_ulong(ctypes.sizeof(layout))
    libc.prctl(set_mm, ctypes.c_ulong(set_mm_map), ctypes.byref(layout), size, ctypes.c_ulong(0))


def find_own_memory():
    """The spans of memory that a fork shares with this process until one of them writes to it."""
    spans = []
    with open("/proc/self/maps") as file:
        for line in file:
            span, access, _, _, inode, *name = line.split(None, 5)
            if access.startswith("rw") and not (name and name[0].startswith(("[stack", "[v"))):
                start, end = (int(part, 16) for part in span.split("-"))
                spans.append((start, end - start))
    return spans


def copy_memory(spans, order):
    """Copies the shared memory before the run needs it: copying it page by page, as the run writes to it, takes a third
    of the time of a small run. Stops when the run arrives. On a kernel that does not support this call, the run copies
    its pages itself."""
    populate_write = 23
    # One step takes a quarter of a millisecond, which is the longest time that the run waits.
    step = 1 << 20
    poller = select.poll()
    poller.register(order, select.POLLIN)
    for start, length in spans:
        for offset in range(0, length, step):
            if poller.poll(0):
                return
            size = min(step, length - offset)
            madvise(ctypes.c_void_p(start + offset), ctypes.c_size_t(size), populate_write)


madvise = ctypes.CDLL(None).madvise
