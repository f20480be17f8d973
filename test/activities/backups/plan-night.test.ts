import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NightPlan, planNight } from '../../../activities/backups/plan-night.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../../adapters/temporal/payload-size.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const NIGHT = '2026-05-04';
const DATABASES = 10_000;

test('ten thousand databases travel through workflows by pages, each of them once', async () => {
  const parts = await createBackupsParts();
  const owner = {
    environment: 'sandbox',
    serviceId: 'svc_00000000000000000001',
    org: 'acme',
    earlierServiceIds: [],
  } as const;
  parts.listed.postgres = Array.from({ length: DATABASES }, (_, index) => {
    const service = `service-with-a-name-as-long-as-it-may-be-${index}`;
    const databaseName = `${service}_sandbox`;
    return { databaseName, owner: { ...owner, service } };
  });
  const seen: string[] = [];
  let plan: NightPlan | null = null;
  do {
    plan = await planNight(parts.deps, NIGHT, AbortSignal.timeout(60_000), plan?.more ?? null);
    assert.ok(Buffer.byteLength(JSON.stringify(plan)) < PAYLOAD_LIMIT_BYTES);
    seen.push(...plan.jobs.map(({ engine, databaseName }) => `${engine}/${databaseName}`));
  } while (plan.more !== null);
  assert.equal(seen.length, DATABASES + 1);
  assert.equal(new Set(seen).size, seen.length);
});
