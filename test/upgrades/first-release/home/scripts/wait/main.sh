echo waiting
while [ ! -e go ]; do sleep 0.1; done
echo gone
exit 6
