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

/** On a machine where nothing ran before, these files begin: those that took a minute or more. */
export const SLOW_FILES: readonly string[] = [
  'test/kills/matrix.alone.test.ts',
  'test/hostile/corpus.test.ts',
  'test/adapters/dump-tools/postgres-swap.test.ts',
  'test/adapters/docker/build-engine.test.ts',
  'test/workflows/custom-domains/certificate.test.ts',
  'test/workflows/backups/nightly-backups.test.ts',
  'test/workers/kill-backups.test.ts',
  'test/e2e/deploy-packages.test.ts',
  'test/web/properties/look.test.ts',
  'test/adapters/docker/workload-runtime.test.ts',
  'test/adapters/dump-tools/postgres-dump-tool.test.ts',
  'test/e2e/databases.test.ts',
  'test/adapters/docker/build-network.test.ts',
  'test/e2e/pipeline-page.test.ts',
  'test/e2e/deploy-frameworks.test.ts',
  'test/activities/backups/faults.test.ts',
  'test/api/schemathesis.test.ts',
  'test/e2e/kill-push.alone.test.ts',
  'test/e2e/kill-worker.alone.test.ts',
  'test/e2e/deploy-shapes.test.ts',
  'test/e2e/readme-page.test.ts',
  'test/workers/kill-monitors.test.ts',
  'test/web/org-pages-look.test.ts',
  'test/activities/audit-ledger/unsigned-batches.test.ts',
  'test/activities/backups/broken-off-swaps.test.ts',
  'test/activities/deploys/interleavings.test.ts',
  'test/e2e/bad-input.test.ts',
  'test/e2e/redeploy.test.ts',
  'test/e2e/deduplicate.alone.test.ts',
  'test/adapters/postgres/database-server.test.ts',
  'test/e2e/prune.test.ts',
  'test/docs/identity-docs.test.ts',
  'test/workflows/deploys/run-build.test.ts',
  'test/replay/replay.test.ts',
  'test/e2e/deploy.test.ts',
  'test/adapters/docker/image-builder.test.ts',
  'test/web/look.test.ts',
  'test/adapters/s3/object-store.test.ts',
  'test/adapters/dump-tools/postgres-in-place.test.ts',
  'test/e2e/oauth-client.test.ts',
  'test/e2e/build-network.test.ts',
  'test/web/backups/look.test.ts',
  'test/web/deploys/look.test.ts',
  'test/api/main.test.ts',
  'test/e2e/push-to-deploy.test.ts',
  'test/workflows/deploys/wait-for-grants.test.ts',
  'test/api/audit-ledger/who-finds-out.test.ts',
  'test/e2e/kill-console.alone.test.ts',
  'test/adapters/docker/platform-relay.test.ts',
  'test/e2e/cancel.test.ts',
  'test/api/identity/killed-writes.test.ts',
  'test/e2e/kill-servers.alone.test.ts',
  'test/adapters/git-host/repository-access.test.ts',
  'test/adapters/postgres/consumers.test.ts',
  'test/infra/mongo-stand-in/durability.test.ts',
  'test/workflows/custom-domains/certificate-faults.test.ts',
  'test/api/identity/pages/browser-login.test.ts',
  'test/e2e/identity-people.test.ts',
  'test/api/identity/attacks/every-field.test.ts',
  'test/e2e/databases-page.test.ts',
  'test/activities/backups/round-trip.test.ts',
  'test/adapters/docker/container-test-runner.test.ts',
  'test/workflows/properties/verify-property.test.ts',
  'test/api/git-hooks/killed-half-way.test.ts',
  'test/cli/login/login.test.ts',
  'test/adapters/docker/dependency-relay.test.ts',
  'test/adapters/edge-router/dependency-proxy.test.ts',
  'test/workers/kill-anchoring.test.ts',
  'test/e2e/kill-waiting.alone.test.ts',
  'test/e2e/console.test.ts',
  'test/workers/missing-settings.test.ts',
  'test/activities/audit-ledger/batch-day.test.ts',
  'test/cli/login/stored-login.test.ts',
  'test/workflows/audit-ledger/anchor-night.test.ts',
  'test/workflows/custom-domains/broken-off.test.ts',
  'test/adapters/mongo/audit-ledger/failover.test.ts',
  'test/docs/monitoring-docs.test.ts',
  'test/adapters/s3/faults.test.ts',
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
