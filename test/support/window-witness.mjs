import { connect } from 'node:net';

/** Runs in a terminal window: tells over a socket what it was started with, and stays until the other side hangs up. */
const [socket, ...words] = process.argv.slice(2);
const connection = connect(socket, () => {
  const ttys = [process.stdin, process.stdout, process.stderr].map((stream) => stream.isTTY === true);
  connection.write(`${JSON.stringify({ words, ttys, term: process.env.TERM })}\n`);
});
connection.on('close', () => process.exit());
connection.resume();
