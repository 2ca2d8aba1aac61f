import urllib

print(urllib.request)
