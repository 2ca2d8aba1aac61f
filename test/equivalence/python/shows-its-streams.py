import sys

for name in ("stdin", "stdout", "stderr"):
    stream = getattr(sys, name)
    print(name, stream is getattr(sys, "__" + name + "__"), type(stream), stream)
    for key in ("encoding", "errors", "line_buffering", "write_through", "newlines", "name", "mode", "closed"):
        print(" ", key, repr(getattr(stream, key)))
    print(" ", stream.isatty(), stream.fileno(), stream.seekable(), stream.readable(), stream.writable())
    print(" ", type(stream.buffer), stream.buffer.name, stream.buffer.mode)
    raw = getattr(stream.buffer, "raw", stream.buffer)
    print(" ", type(raw), raw.name, raw.mode, raw.closefd)
