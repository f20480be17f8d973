import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dyingAtWrite, type Kill } from '../../support/dying-at.ts';
import { createInMemoryAudit } from '../../support/in-memory/audit-recorder.ts';
import { createInMemoryLockerStore } from '../../support/in-memory/locker-store.ts';
import { startLocker, type TestLocker } from '../../support/start-locker.ts';

const PLACE = { owner: { kind: 'org', id: 'acme' }, vault: 'main', name: 'stripe' } as const;
const PATH = '/api/orgs/acme/vaults/main/items/stripe';
const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };
const ADMIN = { 'x-test-user': 'acme/admin' };
const BUILDER = { 'x-test-client': 'builder/platform/locker-resolve' };

/** In their order, each after the ones before it; what tells the ledger of it. */
const STEPS = [
  ['changed', 'PATCH', PATH, { fields: [{ name: 'key', value: 'first' }] }, ADMIN],
  ['bound', 'PUT', `${PATH}/bindings/svc_shop`, { service: 'shop' }, ADMIN],
  ['resolved', 'POST', '/api/resolve', { source: { handle: 'lk://acme/main/stripe' }, destination: SHOP }, BUILDER],
  ['sealed', 'POST', `${PATH}/seal`, {}, ADMIN],
  ['unbound', 'DELETE', `${PATH}/bindings/svc_shop`, undefined, ADMIN],
  ['removed', 'DELETE', PATH, undefined, ADMIN],
] as const;

type Step = (typeof STEPS)[number];

for (const [index, step] of STEPS.entries()) {
  const [done] = step;
  it(`killed at any write while an item is ${done}: no effect is untold, and the request can be repeated`, async () => {
    for (const moment of ['before', 'after'] as const) {
      let wasKilled = true;
      for (let write = 1; wasKilled; write += 1) {
        wasKilled = await killed(STEPS.slice(0, index), step, { write, moment });
      }
    }
  });
}

/** @returns whether the step came so far as to be killed */
async function killed(earlier: readonly Step[], step: Step, kill: Kill): Promise<boolean> {
  const [done, method, path, body, headers] = step;
  const parts = { items: createInMemoryLockerStore(), audit: createInMemoryAudit() };
  const whole = await startLocker(parts);
  for (const [, ...request] of earlier) assert.equal((await send(whole, request)).status, 200);
  const before = JSON.stringify(await parts.items.find(PLACE));
  const isTold = () => parts.audit.told().some(({ eventType }) => eventType === `locker.item_${done}`);

  const { ports, died } = dyingAtWrite(kill, parts);
  const dying = await startLocker(ports);
  const request = [method, path, body, headers] as const;
  const answer = await send(dying, request);
  assert.equal(answer.status, died() ? 500 : 200, answer.text);
  assert.ok(!died() || !answer.text.includes('first'), 'no value leaves');
  const isChanged = JSON.stringify(await parts.items.find(PLACE)) !== before;
  assert.ok(!isChanged || isTold(), `write ${kill.write}: what was changed was told`);

  const again = await send(whole, request);
  assert.equal(again.status, done === 'removed' && isChanged ? 404 : 200, again.text);
  assert.ok(isTold());
  await Promise.all([whole.stop(), dying.stop()]);
  return died();
}

type Request = readonly [method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>];

const send = (to: TestLocker, [method, path, body, headers]: Request) => to.call(method, path, body, headers);
