// Computes the checksums of files. It reads files in pieces, so they may have any size.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

import hob from 'hob';

await hob.main(async ({ inputs, params, run }) => {
  const { algorithm } = params;
  const expected = params.expected.trim().toLowerCase();
  if (inputs.length === 0) run.fail('No files were given. Send their absolute paths as data.files.');
  if (expected !== '' && inputs.length > 1) {
    run.fail('An expected checksum belongs to a single file, but several were given.');
  }

  const checksums = [];
  const skipped = [];
  for (const path of inputs) {
    try {
      checksums.push({ path, ...(await checksumOf(path, algorithm)) });
    } catch (error) {
      skipped.push({ path, reason: describe(error) });
    }
  }
  if (checksums.length === 0) {
    const reasons = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    run.fail(`None of the files could be read. ${reasons}`);
  }
  for (const { checksum, path } of checksums) console.log(`${checksum}  ${path}`);

  const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  if (expected === '')
    return report(`${algorithm} of ${checksums.length} file(s)${left}`, { checksums, skipped });
  const matches = checksums[0].checksum === expected;
  if (matches) return report(`The ${algorithm} is the expected one`, { checksums, skipped, matches });
  // A wrong checksum is a failure, so that an automated caller stops here.
  run.fail(`The ${algorithm} is not the expected one`, { code: 3, checksums, skipped, matches });
});

function report(msg, values) {
  console.log(msg);
  return { msg, ...values };
}

async function checksumOf(path, algorithm) {
  if (!isAbsolute(path)) throw new Error('the path is not absolute');
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error('it is not a file');
  const hash = createHash(algorithm);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return { checksum: hash.digest('hex'), bytes: stats.size };
}

function describe(error) {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EACCES') return 'it may not be read';
  return error.message;
}
