import json

print(json.__file__, json.mark)
