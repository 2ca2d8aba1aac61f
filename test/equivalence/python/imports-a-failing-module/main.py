import failing
