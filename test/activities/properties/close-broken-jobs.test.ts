import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closeBrokenJobs } from '../../../activities/properties/close-broken-jobs.ts';
import { verifyWorkflowId } from '../../../domain/properties/messages.ts';
import { property } from '../../ports/properties/property-store.ts';
import { verifyJob } from '../../ports/properties/verify-jobs.ts';
import { createInMemoryPropertyCommands } from '../../support/in-memory/property-commands.ts';
import { createPropertiesDeps } from '../../support/properties-deps.ts';

const { signal } = new AbortController();

it('a job stays open while a run of its domain is queued, which the Property knows nothing of yet, and is closed without', async () => {
  const one = property();
  let isQueued = true;
  const { deps } = createPropertiesDeps({
    commands: createInMemoryPropertyCommands({
      isUnderWay: async (id) => isQueued && id === verifyWorkflowId(one.domain),
    }),
  });
  await deps.properties.insert(one);
  const job = verifyJob({ domains: [one.domain] });
  await deps.jobs.insert(job);
  await closeBrokenJobs(deps, signal);
  assert.equal((await deps.jobs.find(job.id))?.status, 'running');
  isQueued = false;
  await closeBrokenJobs(deps, signal);
  assert.equal((await deps.jobs.find(job.id))?.outcomes[0]?.outcome, 'error');
});
