import { createReadStream } from 'node:fs';
import { createMongoDumpTool } from '../../../adapters/dump-tools/mongo-dump-tool.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { startScriptedMongo } from '../../support/scripted-mongo.ts';

// Dumps and restores an archive with tools that only pass it on, and prints by how many bytes the buffers of this process grew.
const [archive = '', toolsDir = ''] = process.argv.slice(2);
const { signal } = new AbortController();
// An empty server: no collection, and no row that a search finds.
const mongo = await startScriptedMongo(() => ({ ok: 1, n: 0, cursor: { id: 0n, ns: 'any.any', firstBatch: [] } }));
const tool = createMongoDumpTool({
  adminUri: mongo.uri,
  toolsDir,
  env: { PATH: process.env.PATH ?? '', ARCHIVE: archive },
});
const calls = {
  async dump() {
    await tool.dump('shop_prod', async (bytes) => void (await drain(bytes)), { signal });
  },
  async restore() {
    const names = { from: 'shop_prod', scratch: scratchName('restore', 'rst_00000000000000000001') };
    await tool.restoreInto(names, createReadStream(archive), { signal });
  },
};
const grown: Record<string, number> = {};
for (const [name, call] of Object.entries(calls)) {
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  grown[name] = 0;
  const look = (): void => {
    grown[name] = Math.max(grown[name] ?? 0, process.memoryUsage().arrayBuffers - before);
  };
  const timer = setInterval(look, 1);
  await call();
  clearInterval(timer);
}
await mongo.close();
console.log(JSON.stringify(grown));

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}
