import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporal } from '../workflows/deploys/harness.ts';
import { compactHistory } from './compact-history.ts';
import { DEV_SERVER_SCENARIOS, startDevServer } from './dev-server-scenarios.ts';
import { SCENARIOS } from './scenarios.ts';

/**
 * Records the histories that `replay.test.ts` replays: `node test/replay/record.ts [name …]`, with the path of the
 * time-skipping server in FAIRLEAD_TEST_SERVER. They go to the folder of the version in the making; those of released
 * versions never change: a change of workflow code is guarded by `patched()` until they replay. At a release, write
 * `SHA256SUMS` beside the recordings and add the version to RELEASED in the test.
 */
const folder = join(import.meta.dirname, 'histories', '0.2');
const only = process.argv.slice(2);

if (only.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await recordAll(undefined, SCENARIOS);
await recordAll(startDevServer, DEV_SERVER_SCENARIOS);

async function recordAll(startServer: typeof startDevServer | undefined, scenarios: typeof SCENARIOS): Promise<void> {
  const temporal = await createTemporal(startServer);
  try {
    for (const play of scenarios) {
      for (const [name, source] of Object.entries(await play(temporal))) {
        if (only.length > 0 && !only.includes(name)) continue;
        const { workflowId, runId } = typeof source === 'string' ? { workflowId: source, runId: undefined } : source;
        const text = compactHistory(await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory());
        await writeFile(join(folder, `${name}.json`), text);
        console.log(`${name}: ${text.length} characters`);
      }
    }
  } finally {
    await temporal.stop();
  }
}
