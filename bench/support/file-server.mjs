import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { finished } from 'node:stream/promises';

/**
 * A process that makes a large file of bytes that nothing can pack, and gives it out as Hugging Face does. Arguments: the path of
 * the file, and its size in MiB. It tells its address in one line.
 */
const [, , path, mebibytes] = process.argv;
const block = randomBytes(2 ** 20);
const sizeBytes = Number(mebibytes) * block.length;
const hash = createHash('sha256');
const file = createWriteStream(path);
for (let at = 0; at < sizeBytes; at += block.length) {
  hash.update(block);
  if (!file.write(block)) await new Promise((resolve) => file.once('drain', resolve));
}
file.end();
await finished(file);
const sha256 = hash.digest('hex');
const commit = '0'.repeat(40);

const server = createServer((request, response) => {
  const { url = '' } = request;
  if (url.includes('/resolve/')) {
    response.writeHead(200, { 'content-length': sizeBytes, etag: `"${sha256}"` });
    createReadStream(path).pipe(response);
  } else if (url.includes('/revision/')) response.end(JSON.stringify({ sha: commit }));
  else {
    const lfs = { oid: sha256, size: sizeBytes };
    response.end(JSON.stringify([{ type: 'file', path: 'model.bin', oid: commit, size: sizeBytes, lfs }]));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
