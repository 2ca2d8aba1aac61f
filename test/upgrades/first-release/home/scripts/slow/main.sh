echo started
exec sleep 600
