import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { BSON } from 'mongodb';
import { residentVariables, WORKER_FLAGS } from '../../../infra/dev/runtime-variables.ts';
import { mongoArchive } from '../../support/mongo-archive.ts';

const MIB = 1024 ** 2;
const ARCHIVE_MIB = 192;
/** Of Node's own heap, in its default size, 64 MiB of buffers wait for the collector. */
const MOST_MIB = 24;
const CHILD = fileURLToPath(new URL('./archive-memory-child.ts', import.meta.url));

describe('the archive of a MongoDB database, whatever its size,', { timeout: 120_000 }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-archive-'));
    await pipeline(largeArchive(), createGzip({ level: 1 }), createWriteStream(join(folder, 'archive')));
    const tools = { mongodump: 'exec cat "$ARCHIVE"', mongorestore: 'exec cat > /dev/null' };
    for (const [name, line] of Object.entries(tools)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it(`leaves less than ${MOST_MIB} MiB of it in the buffers of a worker, dumped and restored`, async () => {
    const args = [...WORKER_FLAGS, CHILD, join(folder, 'archive'), folder];
    const env = { ...process.env, ...residentVariables(process.env) };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const grown = JSON.parse(stdout) as Record<'dump' | 'restore', number>;
    assert.ok(grown.dump < MOST_MIB * MIB && grown.restore < MOST_MIB * MIB, stdout);
  });
});

/** One block of the same documents, as often as it takes. */
function* largeArchive(): Generator<Buffer> {
  const archive = mongoArchive([{ db: 'shop_prod', collection: 'orders', documents: [{ _id: 1 }] }]);
  const document = Buffer.from(
    BSON.serialize({ _id: 2, text: 'please leave the parcel with the neighbours '.repeat(200) }),
  );
  const documents = Buffer.concat(Array.from({ length: Math.ceil(MIB / document.length) }, () => document));
  const at = archive.indexOf(BSON.serialize({ _id: 1 }));
  yield archive.subarray(0, at);
  for (let mebibytes = 0; mebibytes < ARCHIVE_MIB; mebibytes += 1) yield documents;
  yield archive.subarray(at);
}
