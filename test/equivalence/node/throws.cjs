function fail() {
  throw new Error('thrown');
}

fail();
