import gc
import json

print(any(each is json.__dict__ for each in gc.get_referrers(json.dumps)))
