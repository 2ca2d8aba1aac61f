const fail = () => {
  throw new TypeError('thrown 好');
};
fail();
