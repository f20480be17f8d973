import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRelayName } from '../../adapters/docker/workload-names.ts';
import { createTestBuilder, docker } from '../adapters/docker/engine-fixture.ts';
import { recordingContext } from '../ports/workload-runtime.ts';
import { patience } from '../support/patience.ts';
import type { Files } from './attacker.ts';

/** Runs the scan in a build of the machine's engine, as where a stack has none of its own. @returns its log */
export async function scanInMachinesEngine(dataDir: string, files: Files): Promise<string> {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-scan-'));
  const registry = { address: 'localhost:5050' };
  const buildProxy = { socket: join(dataDir, 'builds', 'http.sock'), image: async () => 'node:24-alpine' };
  const builder = await createTestBuilder(stackId, registry, () => {}, { buildProxy });
  const Dockerfile = 'FROM node:24-alpine\nCOPY scan.mjs scan.json unique /app/\nRUN node /app/scan.mjs\n';
  const tag = `${registry.address}/scan-${stackId}:1`;
  try {
    for (const [name, content] of Object.entries({ ...files, Dockerfile })) {
      await writeFile(join(folder, name), content ?? '');
    }
    const context = recordingContext(patience());
    const dockerfile = join(folder, 'Dockerfile');
    const build = { buildId: `bld_${stackId}`, org: 'scans', service: 'scan', environment: 'prod' } as const;
    await builder.build({ ...build, contextDirectory: folder, dockerfile, tag, labels: {}, secrets: {} }, context);
    return context.lines.join('\n');
  } finally {
    await docker
      .getContainer(buildRelayName(stackId))
      .remove({ force: true })
      .catch(() => {});
    await docker
      .getImage(tag)
      .remove({ force: true })
      .catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
}
