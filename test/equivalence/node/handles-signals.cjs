const timer = setInterval(() => {}, 1000);
console.log(process.eventNames().map(String), process.listenerCount('SIGTERM'), process.listenerCount('exit'));
process.on('SIGUSR2', (name, number) => {
  console.log(name, number);
  process.kill(process.pid, 'SIGTERM');
});
process.once('SIGTERM', (name) => {
  console.log(name);
  clearInterval(timer);
});
process.kill(process.pid, 'SIGUSR2');
