import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../support/wait-until.ts';
import { completed, connection, parts, trigger } from './harness.ts';
import { type SampleService, sampleService, stateOf } from './sample-service.ts';

/** What the monitor's list says of one. */
interface Listed {
  readonly name: string;
  readonly org: string | null;
  readonly intervalSeconds: number;
  readonly state: string;
}

/** The uptime monitor of a stack (spec 3, "Monitor behaviour" 1). */
describe('a service that is deployed', { timeout: 300_000 }, () => {
  let service: SampleService;
  before(async () => {
    service = await sampleService('watched', {});
  });
  after(() => service[Symbol.asyncDispose]());

  async function listed(): Promise<Listed | undefined> {
    const address = (await parts()).monitor?.address ?? '';
    const headers = { 'x-internal-key': (await connection()).key };
    const reply = await fetch(`${address}/api/monitors?limit=200`, { headers });
    assert.equal(reply.status, 200);
    const { data } = (await reply.json()) as { readonly data: { readonly items: readonly Listed[] } };
    return data.items.find(({ name }) => name === service.name);
  }

  it('is watched from then on: the monitor checks it through the public router, and finds it up', async () => {
    const build = await completed((await trigger(service.name)).buildId);
    assert.equal(stateOf(build, 'monitor'), 'completed');
    const monitor = await listed();
    assert.deepEqual([monitor?.org, monitor?.intervalSeconds], ['platform', 30]);
    await waitUntil('it is up', async () => (await listed())?.state === 'up', { withinMs: 120_000, everyMs: 500 });
  });
});
