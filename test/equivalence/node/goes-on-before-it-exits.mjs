let times = 0;
process.on('beforeExit', () => {
  console.log('before', ++times);
  if (times < 3) setTimeout(() => console.log('again'), 1);
});
