// The workflow library looks for it when it is first imported.
import '../../support/workflow-model/async-local-storage.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import type { CustomDomainsActivities } from '../../../activities/custom-domains/index.ts';
import { DOMAIN_UPDATES, DOMAIN_WORKFLOWS, domainWorkflowId } from '../../../domain/custom-domains/messages.ts';
import { keepDomain } from '../../../workflows/custom-domains/keep-domain.ts';
import type { Outcome } from '../../support/workflow-model/outcomes.ts';
import { createWorkflowModel } from '../../support/workflow-model/workflow-model.ts';

const DOMAIN = 'shop.own.com';
const HOUR_MS = 3_600_000;
const OUTCOMES: { readonly [A in keyof CustomDomainsActivities]: () => Outcome } = {
  claimDomain: () => ({ kind: 'failed', error: ApplicationFailure.nonRetryable('It is in use', 'DOMAIN_TAKEN') }),
  prepareDomain: () => ({ kind: 'completed', value: null }),
  readHolding: () => ({
    kind: 'completed',
    value: { domain: DOMAIN, holderId: 'dom_1', isRemoving: false, hasFailed: false },
  }),
  requireHolding: () => ({ kind: 'completed', value: { domain: DOMAIN, holderId: 'dom_1' } }),
  observeDomain: () => ({
    kind: 'completed',
    value: { kind: 'seen', state: 'active', reason: null, waitMs: HOUR_MS },
  }),
  beginRemoval: () => ({ kind: 'completed', value: { domain: DOMAIN, holderId: 'dom_1' } }),
  removeDomain: () => ({ kind: 'completed', value: null }),
  reconcileDomains: () => ({ kind: 'completed', value: { cursor: null, names: 0 } }),
};

it('adds that are refused do not use up the history of a name: it is continued as new between two looks', async () => {
  let last: Promise<unknown> = Promise.resolve();
  const performed: string[] = [];
  const model = createWorkflowModel({
    workflows: { keepDomain },
    activities: new Set(Object.keys(OUTCOMES)),
    perform: async ({ type }) => {
      performed.push(type);
      return OUTCOMES[type as keyof CustomDomainsActivities]();
    },
    post: (work) => {
      last = last.then(work);
    },
    tasksOfRun: () => 20,
  });
  const workflowId = domainWorkflowId(DOMAIN);
  const start = { workflowId, type: DOMAIN_WORKFLOWS.keepDomain, args: [{ domain: DOMAIN }] };
  const continued = () => model.ends.filter((end) => end === 'keepDomain continued as new').length;
  for (let index = 0; index < 60 && continued() === 0; index += 1) {
    const args = [{ id: `dom_${index}`, domain: DOMAIN }];
    await model
      .update(workflowId, { name: DOMAIN_UPDATES.add, id: `add-${index}`, args }, start)
      .catch(() => undefined);
  }
  // No time has passed: no look was due after the first.
  assert.equal(continued(), 1);
  assert.equal(model.latest(workflowId)?.isOpen, true);
  await model.update(workflowId, { name: DOMAIN_UPDATES.verify, id: 'verify', args: [{ domain: DOMAIN }] }, start);
  assert.equal(performed.at(-1), 'observeDomain');
});
