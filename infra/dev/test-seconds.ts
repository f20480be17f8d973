import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { cacheFolder, type Env } from './project.ts';
import type { Tally } from './test-tally.ts';

/** How long each file took when it last ran, by its path from the root. */
export type TestSeconds = Readonly<Record<string, number>>;

const schema = z.record(z.string(), z.number());
const pathOf = (env: Env): string => join(cacheFolder(env), 'test-seconds.json');

/** What former runs on this machine took; nothing where there was none. */
export function readSeconds(env: Env): TestSeconds {
  try {
    return schema.safeParse(parseJson(readFileSync(pathOf(env), 'utf8'))).data ?? {};
  } catch {
    // The first run on this machine.
    return {};
  }
}

export function keepSeconds(env: Env, { files }: Pick<Tally, 'files'>): void {
  const ran = Object.fromEntries(files.map(({ file, seconds }) => [file, Math.round(seconds * 10) / 10]));
  mkdirSync(dirname(pathOf(env)), { recursive: true });
  writeFileSync(pathOf(env), JSON.stringify({ ...readSeconds(env), ...ran }));
}

/** On a machine where nothing ran before, these files begin: the slowest of each lane. */
export const SLOW_FILES: readonly string[] = [
  'test/hostile/corpus.test.ts',
  'test/adapters/docker/build-engine.test.ts',
  'test/kills/matrix.test.ts',
  'test/adapters/postgres/database-server.test.ts',
  'test/workflows/backups/nightly-backups.test.ts',
  'test/activities/backups/faults.test.ts',
  'test/adapters/docker/workload-runtime.test.ts',
  'test/adapters/postgres/consumers.test.ts',
  'test/adapters/docker/image-builder.test.ts',
  'test/adapters/docker/build-network.test.ts',
  'test/docs/identity-docs.test.ts',
  'test/activities/deploys/interleavings.test.ts',
  'test/workers/kill-anchoring.test.ts',
  'test/e2e/redeploy.test.ts',
  'test/e2e/push-to-deploy.test.ts',
  'test/e2e/databases.test.ts',
  'test/e2e/kill-push.alone.test.ts',
  'test/e2e/kill-worker.alone.test.ts',
];

/**
 * Longest first, so that no long file is left over for the end, when nothing runs beside it; before them unknown ones,
 * of which {@link SLOW_FILES} come first.
 */
export function longestFirst(files: readonly string[], seconds: TestSeconds): readonly string[] {
  const of = (file: string): number => seconds[file] ?? Number.POSITIVE_INFINITY;
  const slowFirst = [...SLOW_FILES.filter((file) => files.includes(file)), ...files];
  return [...new Set(slowFirst)].sort((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
}
