import json
import sys
import urllib.error
import urllib.request

environment = json.load(open(sys.argv[1], encoding="utf-8"))["environment"]
body = json.dumps({"fraction": 0.5, "message": "half"}).encode()
request = urllib.request.Request(environment["api_base"] + "/api/progress", body, {"Content-Type": "application/json"})
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(request).status)
