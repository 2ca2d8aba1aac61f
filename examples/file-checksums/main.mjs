// Computes the checksums of files. It reads files in pieces, so they may have any size.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

/** An error that ends the script with a message instead of a stack trace. */
class Problem extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function main({ data, params }) {
  const { algorithm } = params;
  const expected = params.expected.trim().toLowerCase();
  if (data.files.length === 0) {
    throw new Problem(1, 'No files were given. Send their absolute paths as data.files.');
  }
  if (expected !== '' && data.files.length > 1) {
    throw new Problem(1, 'An expected checksum belongs to a single file, but several were given.');
  }

  const checksums = [];
  const skipped = [];
  for (const path of data.files) {
    try {
      checksums.push({ path, ...(await checksumOf(path, algorithm)) });
    } catch (error) {
      skipped.push({ path, reason: describe(error) });
    }
  }
  if (checksums.length === 0) {
    const reasons = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    throw new Problem(1, `None of the files could be read. ${reasons}`);
  }
  for (const { checksum, path } of checksums) console.log(`${checksum}  ${path}`);

  const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  const answer = { code: 0, msg: `${algorithm} of ${checksums.length} file(s)${left}`, checksums, skipped };
  if (expected === '') return answer;
  const matches = checksums[0].checksum === expected;
  // A wrong checksum is a failure, so that an automated caller stops here.
  return matches
    ? { ...answer, msg: `The ${algorithm} is the expected one`, matches }
    : { ...answer, code: 3, msg: `The ${algorithm} is not the expected one`, matches };
}

async function checksumOf(path, algorithm) {
  if (!isAbsolute(path)) throw new Problem(1, 'the path is not absolute');
  const stats = await stat(path);
  if (!stats.isFile()) throw new Problem(1, 'it is not a file');
  const hash = createHash(algorithm);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return { checksum: hash.digest('hex'), bytes: stats.size };
}

function describe(error) {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EACCES') return 'it may not be read';
  return error.message;
}

// The first argument is the parameter file.
const request = JSON.parse(await readFile(process.argv[2], 'utf8'));
const envelope = await main(request).catch((error) => {
  if (error instanceof Problem) return { code: error.code, msg: error.message };
  throw error;
});
await writeFile(request.environment.output_json, JSON.stringify(envelope));
console.log(envelope.msg);
process.exitCode = envelope.code === 0 ? 0 : 1;
