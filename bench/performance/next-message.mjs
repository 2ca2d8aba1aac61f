/** Resolves with the next message of a child process, and rejects if the process ends first. */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code, signal) => reject(new Error(`a process of the benchmark ended: ${signal ?? code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
