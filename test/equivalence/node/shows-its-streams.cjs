for (const name of ['stdin', 'stdout', 'stderr']) {
  const stream = process[name];
  console.log(name, stream.constructor.name, stream.isTTY, stream._type, stream.fd, stream.readable, stream.writable);
  console.log(stream.columns, stream.writableHighWaterMark, stream.readableHighWaterMark, stream.writableLength);
  console.log(stream.destroyed, stream._isStdio, stream.listenerCount('error'), stream.eventNames().map(String));
}
console.log(process.stdout.hasColors?.(), require('node:tty').isatty(1), process.stdout._handle?.constructor.name);
