import { connect } from 'node:net';

/** Runs in a terminal window. Reports over a socket how it was started, and exits when the other side closes the socket. */
const [socket, ...words] = process.argv.slice(2);
const connection = connect(socket, () => {
  const ttys = [process.stdin, process.stdout, process.stderr].map((stream) => stream.isTTY === true);
  connection.write(`${JSON.stringify({ words, ttys, term: process.env.TERM })}\n`);
});
connection.on('close', () => process.exit());
connection.resume();
