process.on('SIGTERM', () => {
  console.log('asked to end');
  process.exit(9);
});
console.log('waits');
setInterval(() => {}, 1000);
