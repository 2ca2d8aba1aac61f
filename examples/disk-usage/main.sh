#!/usr/bin/env bash
# Shows the largest files and folders in a folder.
#
# bash cannot read JSON, so Python reads the parameter file and writes the envelope. Values are passed as arguments, or separated by
# NUL, the only byte that no path contains.
set -u

mapfile -d '' -t request < <(python3 - "$1" <<'PYTHON'
import json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    request = json.load(file)
values = [request["environment"]["output_json"], request["params"]["top"], *request["data"]["folder"]]
sys.stdout.buffer.write(b"".join(str(value).encode("utf-8", "replace") + b"\0" for value in values))
PYTHON
)
output_json=${request[0]:?the parameter file could not be read}
top=${request[1]}
folders=("${request[@]:2}")

# finish CODE MESSAGE: writes the envelope and exits. `entries` has the lines of du: bytes, a tab, the path.
entries=()
total=''
incomplete=no
finish() {
  printf '%s\0' "${entries[@]}" | python3 -c '
import json, os, sys

output_json, code, message, total, incomplete = sys.argv[1:]
envelope = {"code": int(code), "msg": message}
if total:
    lines = [line for line in os.fsdecode(sys.stdin.buffer.read()).split("\0") if line]
    pairs = [line.split("\t", 1) for line in lines]
    envelope["total_bytes"] = int(total)
    envelope["entries"] = [{"path": path, "bytes": int(size)} for size, path in pairs]
    envelope["incomplete"] = incomplete == "yes"
with open(output_json, "w", encoding="utf-8") as file:
    json.dump(envelope, file)
' "$output_json" "$1" "$2" "$total" "$incomplete" || exit 1
  printf '%s\n' "$2"
  [ "$1" -eq 0 ]
  exit
}

[ "${#folders[@]}" -gt 0 ] || finish 1 'No folder was given. Send its absolute path as data.folder.'
[ "${#folders[@]}" -eq 1 ] || finish 1 'Give exactly one folder.'
[ "$top" -ge 1 ] || finish 1 'top must be 1 or more.'
folder=${folders[0]}
case $folder in
  /*) ;;
  *) finish 1 "The path of the folder must be absolute: $folder" ;;
esac
[ -d "$folder" ] || finish 1 "There is no such folder: $folder"

# One level deep, including files, on this file system only. du reports unreadable files on stderr, which the answer contains.
listing=$(mktemp) || finish 2 'A temporary file could not be made.'
trap 'rm -f "$listing"' EXIT
du --all --max-depth=1 --one-file-system --block-size=1 --null -- "$folder" > "$listing" || incomplete=yes

# Largest first. The line of the folder itself is the total.
while IFS= read -r -d '' line; do
  if [ "${line#*$'\t'}" = "$folder" ]; then total=${line%%$'\t'*}; else entries+=("$line"); fi
done < <(sort --zero-terminated --numeric-sort --reverse "$listing")
[ -n "$total" ] || finish 2 "du could not read $folder"

found=${#entries[@]}
entries=("${entries[@]:0:top}")
note=''
[ "$incomplete" = no ] || note='; some of it could not be read'
finish 0 "$folder takes $(numfmt --to=iec "$total"), in $found entries$note"
