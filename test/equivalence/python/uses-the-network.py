import http.server
import json
import ssl
import threading
import urllib.error
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200 if self.path == "/ok" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
base = "http://127.0.0.1:%d" % server.server_port
print(json.load(opener.open(base + "/ok")))
try:
    opener.open(base + "/other")
except urllib.error.HTTPError as error:
    print(error.code, json.load(error))
server.shutdown()
print(len(ssl.RAND_bytes(8)), ssl.create_default_context().verify_mode)
