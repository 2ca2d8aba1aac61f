/** What a process of ours says next. One that ends instead says nothing more, and nobody is to wait for that. */
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
