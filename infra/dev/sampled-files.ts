import { SAMPLED_OF } from './test-sample.ts';

/**
 * Long files that play every case of one thing: each kill, each page in a browser, each fault of a vendor. What they look at
 * is used by other tests as well, so that a fault of it shows in a whole run, and its case here. Longest first: neighbours
 * are played with different commits.
 */
export const SAMPLED_FILES: readonly string[] = [
  'test/e2e/deploy-packages.test.ts',
  'test/workflows/backups/nightly-backups.test.ts',
  'test/e2e/deploy-frameworks.test.ts',
  'test/adapters/docker/build-engine.test.ts',
  'test/workers/kill-backups.test.ts',
  'test/infra/recovery/restore-platform.test.ts',
  'test/web/properties/look.test.ts',
  'test/adapters/dump-tools/postgres-dump-tool.test.ts',
  'test/adapters/docker/workload-runtime.test.ts',
  'test/api/schemathesis.test.ts',
  'test/activities/backups/full-database-disk.test.ts',
  'test/workflows/custom-domains/certificate.test.ts',
  'test/adapters/docker/image-builder.test.ts',
  'test/activities/audit-ledger/unsigned-batches.test.ts',
  'test/workers/kill-monitors.test.ts',
  'test/e2e/kill-worker.alone.test.ts',
  'test/adapters/git-host/repository-access.test.ts',
  'test/adapters/s3/object-store.test.ts',
  'test/e2e/kill-console.alone.test.ts',
  'test/web/look.test.ts',
  'test/adapters/docker/build-network.test.ts',
  'test/web/org-pages-look.test.ts',
  'test/e2e/deploy-shapes.test.ts',
  'test/adapters/docker/base-images.test.ts',
  'test/e2e/kill-servers.alone.test.ts',
  'test/e2e/deduplicate.alone.test.ts',
  'test/workers/missing-settings.test.ts',
  'test/infra/mongo-stand-in/durability.test.ts',
  'test/e2e/prune.test.ts',
  'test/e2e/kill-waiting.alone.test.ts',
  'test/workflows/custom-domains/broken-off.test.ts',
  'test/adapters/docker/container-test-runner.test.ts',
  'test/workflows/custom-domains/certificate-faults.test.ts',
  'test/web/deploys/look.test.ts',
  'test/api/identity/pages/browser-login.test.ts',
  'test/workers/kill-collector.test.ts',
  'test/workers/many-down.test.ts',
  'test/adapters/docker/dependency-relay.test.ts',
  'test/workers/kill-anchoring.test.ts',
  'test/adapters/docker/platform-relay.test.ts',
  'test/api/services/kept-heartbeats.test.ts',
  'test/web/backups/look.test.ts',
];

/**
 * The files of a whole run: of {@link SAMPLED_FILES} one of {@link SAMPLED_OF}, other ones with the next commit.
 * @param sample null where all are played
 */
export function filesOfSample(files: readonly string[], sample: number | null): readonly string[] {
  if (sample === null) return files;
  const left = SAMPLED_FILES.filter((_, index) => index % SAMPLED_OF !== sample);
  return files.filter((file) => !left.includes(file));
}
