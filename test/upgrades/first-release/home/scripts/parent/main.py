import json, sys, time, os, urllib.request
with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)


def done(**fields):
    with open(given["environment"]["output_json"], "w", encoding="utf-8") as file:
        json.dump({"code": 0, "msg": "ok", **fields}, file, ensure_ascii=False)


body = {"script_id": "776df7db-9f51-4003-897e-6be1b23990bf", "data": {"texts": ["孩子"]}}
request = urllib.request.Request(given["environment"]["api_base"] + "/api/link", json.dumps(body).encode(), {"Content-Type": "application/json"})
with urllib.request.urlopen(request) as answer:
    done(child=json.load(answer)["result"])
