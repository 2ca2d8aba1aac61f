"""
Creates a large file of incompressible bytes and serves it like Hugging Face. Arguments: path of the file, size in MiB. Prints its address in
one line. It sends the file with sendfile, because a remote server would use no processor time of this machine either.
"""

import hashlib
import http.server
import json
import os
import sys

path, mebibytes = sys.argv[1], int(sys.argv[2])
commit = "0" * 40


def make_file():
    block = os.urandom(2**20)
    made = hashlib.sha256()
    with open(path, "wb") as file:
        for _ in range(mebibytes):
            made.update(block)
            file.write(block)
    return made.hexdigest()


sha256 = make_file()
size = mebibytes * 2**20


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if "/resolve/" in self.path:
            self.answer(size, etag=f'"{sha256}"')
            with open(path, "rb") as file:
                self.connection.sendfile(file)
            return
        lfs = {"oid": sha256, "size": size}
        listing = [{"type": "file", "path": "model.bin", "oid": commit, "size": size, "lfs": lfs}]
        body = json.dumps({"sha": commit} if "/revision/" in self.path else listing).encode()
        self.answer(len(body))
        self.wfile.write(body)

    def answer(self, length, **headers):
        self.send_response(200)
        self.send_header("content-length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
