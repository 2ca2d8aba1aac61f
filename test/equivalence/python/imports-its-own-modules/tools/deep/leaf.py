from .. import name as up
