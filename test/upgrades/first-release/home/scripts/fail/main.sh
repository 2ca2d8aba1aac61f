echo before
echo "cannot go on" >&2
exit 3
