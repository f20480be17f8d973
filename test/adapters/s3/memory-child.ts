import { createHash } from 'node:crypto';
import { createS3ObjectStore, type S3Options } from '../../../adapters/s3/object-store.ts';

/** Uploads and reads a stream, and prints as JSON by how much memory of this process grew over that of a short one. */
const { settings, megabytes }: { settings: S3Options; megabytes: number } = JSON.parse(process.argv[2] ?? '');
const MIB = 1024 ** 2;

const store = createS3ObjectStore(settings);
let peak = 0;
const look = (): void => {
  peak = Math.max(peak, process.memoryUsage.rss());
};

async function* pieces(count: number): AsyncGenerator<Buffer> {
  for (let number = 0; number < count; number += 1) {
    look();
    yield Buffer.alloc(MIB, `${number} `);
  }
}

async function roundTrip(count: number): Promise<boolean> {
  const { sha256 } = await store.put('long', pieces(count), { onProgress: look });
  const hash = createHash('sha256');
  for await (const piece of await store.get('long')) {
    look();
    hash.update(piece);
  }
  return hash.digest('hex') === sha256;
}

// Long enough for every buffer that an upload uses at a time.
await roundTrip(64);
const before = peak;
peak = 0;
const isSame = await roundTrip(megabytes);
console.log(JSON.stringify({ isSame, grownBytes: peak - before }));
process.exit();
