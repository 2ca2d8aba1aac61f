// Follows the output of a run over many connections at once, in a separate process so that it does not disturb the test's
// measurements. Prints a line when every connection has received its first bytes, then how many connections received which bytes.
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';

const [url, count] = process.argv.slice(2);
let begun = 0;
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

function follow() {
  return new Promise((resolve) => {
    const hash = createHash('sha256');
    const asked = get(url, { agent }, (response) => {
      response.once('data', () => {
        begun += 1;
        if (begun === Number(count)) process.stdout.write('all have begun\n');
      });
      response.on('data', (bytes) => hash.update(bytes));
      response.on('error', () => {});
      response.on('close', () => resolve(response.complete ? hash.digest('hex') : 'cut off'));
    });
    asked.on('error', (error) => resolve(String(error)));
  });
}

const seen = {};
for (const result of await Promise.all(Array.from({ length: Number(count) }, follow)))
  seen[result] = (seen[result] ?? 0) + 1;
process.stdout.write(`${JSON.stringify(seen)}\n`);
