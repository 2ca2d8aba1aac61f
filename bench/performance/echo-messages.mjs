import { createServer } from 'node:net';

import { receiveMessages, sendMessage } from '../../build/execution/message-lines.js';

/** Answers every `start` like an executor whose scripts take no time, until its client disconnects. */
const streams = { bytes: 10, headBytes: 10, tailBytes: 0 };
const server = createServer((socket) => {
  receiveMessages(socket, ['start'], ({ spec: { runId } }) => {
    const nowMs = Date.now();
    sendMessage(socket, { type: 'started', runId, pid: process.pid, startedAtMs: nowMs, windowless: null });
    const end = { runId, cause: 'exit', exitCode: 0, signal: null, spawnError: null, startedAtMs: nowMs };
    const rest = { endedAtMs: nowMs, durationMs: 0, stdout: streams, stderr: streams, leftRunning: null };
    sendMessage(socket, { type: 'ended', end: { ...end, ...rest } });
  });
  socket.once('close', () => process.exit());
});
server.listen(process.argv[2], () => process.stdout.write('ready\n'));
