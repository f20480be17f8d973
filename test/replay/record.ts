import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporal } from '../workflows/deploys/harness.ts';
import { compactHistory } from './compact-history.ts';
import { SCENARIOS } from './scenarios.ts';

/**
 * Records the histories that `replay.test.ts` replays: `node test/replay/record.ts [name …]`. Record anew only with a
 * change of workflow code that is meant to break running workflows; otherwise patch the code until the recordings replay.
 */
const folder = join(import.meta.dirname, 'histories');
const only = process.argv.slice(2);

const temporal = await createTemporal();
try {
  await mkdir(folder, { recursive: true });
  if (only.length === 0) for (const file of await readdir(folder)) await rm(join(folder, file));
  for (const play of SCENARIOS) {
    for (const [name, workflowId] of Object.entries(await play(temporal))) {
      if (only.length > 0 && !only.includes(name)) continue;
      const text = compactHistory(await temporal.client.workflow.getHandle(workflowId).fetchHistory());
      await writeFile(join(folder, `${name}.json`), text);
      console.log(`${name}: ${text.length} characters`);
    }
  }
} finally {
  await temporal.stop();
}
