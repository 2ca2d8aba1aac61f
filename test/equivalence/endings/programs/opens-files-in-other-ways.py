import codecs
import io
import lzma
import os
import tarfile

descriptor = os.fdopen(os.open("descriptor.txt", os.O_WRONLY | os.O_CREAT, 0o644), "w")
descriptor.write("by descriptor\n")
encoded = codecs.open("encoded.txt", "w", "utf-16-le")
encoded.write("encoded")
updated = io.open("updated.bin", "w+b", buffering=100)
updated.write(b"u" * 150)
compressed = lzma.open("out.xz", "wb")
compressed.write(b"x" * 1000)
archive = tarfile.open("out.tar", "w")
member = tarfile.TarInfo("member.txt")
member.size = 4
archive.addfile(member, io.BytesIO(b"text"))
wrapped = io.TextIOWrapper(io.BufferedWriter(io.FileIO("wrapped.txt", "w")), newline="\r\n")
wrapped.write("wrapped\n")
