import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { runCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import { collectText } from './collect-text.ts';
import { api, completed, connection, dataFolder, logText, parts, trigger, visit } from './harness.ts';
import { type SampleService, sampleService, temporalClient } from './sample-service.ts';

const CANARY = 'canary-e2e-of-the-locker-0123456789';

/** A credential on its way from the locker into a container, on the whole stack. */
describe('a secret copied out of the locker', { timeout: 300_000 }, () => {
  let service: SampleService;
  let handle: string;
  const shown: string[] = [];
  before(async () => {
    service = await sampleService('locker', { shows: ['FROM_LOCKER'] });
    handle = `lk://platform/e2e/${service.name}`;
  });
  after(async () => {
    await cli(['locker', 'remove', handle, '--yes']);
    await service[Symbol.asyncDispose]();
  });

  async function cli(args: readonly string[], stdin?: string) {
    const { api: url, key } = await connection();
    const running = await parts();
    const env = {
      FAIRLEAD_KEY: key,
      FAIRLEAD_LOCKER_URL: running.locker?.address ?? '',
      FAIRLEAD_AUDIT_URL: running['audit-ledger']?.address ?? '',
    };
    const result = await runCli({ url }, args, { env, ...(stdin === undefined ? {} : { stdin }) });
    shown.push(result.stdout, result.stderr);
    return result;
  }
  const importIt = () =>
    cli(['config', 'set', '--secret', 'FROM_LOCKER', '--from-locker', handle, '--service', service.name]);

  it('reaches the container of the service that the item is bound to, and no other', async () => {
    assert.equal((await cli(['locker', 'put', handle, '--secret', 'key'], CANARY)).code, 0, shown.at(-1));
    assert.match((await importIt()).stderr, /NOT_BOUND/);
    assert.equal((await cli(['locker', 'bind', handle, '--service', service.name])).code, 0, shown.at(-1));
    assert.equal((await importIt()).code, 0, shown.at(-1));
    const build = await completed((await trigger(service.name)).buildId);
    assert.equal(JSON.parse((await visit(service.name)).body).FROM_LOCKER, CANARY);
    const list = await cli(['config', 'list', '--service', service.name]);
    assert.ok(list.stdout.includes(`(locker: ${handle})`), list.stdout);

    const read = (type: string) => cli(['audit', 'events', '--entity', handle, '--type', type, '--json']);
    for (const type of ['locker.item_resolve_refused', 'locker.item_resolved']) {
      await waitUntil(`${type} in the ledger`, async () => (await read(type)).stdout.includes(service.name), {
        withinMs: 30_000,
        everyMs: 500,
      });
    }
    await assertNowhere(build.id);
  });

  /** What was shown, logged, recorded, answered, or is in the history of a workflow. */
  async function assertNowhere(buildId: string): Promise<void> {
    const reply = async (path: string) => JSON.stringify(await api('GET', path));
    const { name } = service;
    const paths = [
      `/builds/${buildId}`,
      `/services/${name}`,
      `/services/${name}/releases`,
      `/services/${name}/config/history`,
    ];
    const texts = [...shown, await logText(buildId), ...(await Promise.all(paths.map(reply)))];
    const logs = join(dataFolder(), 'logs');
    for (const file of await readdir(logs)) texts.push(await readFile(join(logs, file), 'utf8'));
    await using temporal = await temporalClient();
    const history = collectText(await temporal.client.workflow.getHandle(buildWorkflowId(buildId)).fetchHistory());
    assert.match(history, new RegExp(name), 'payloads were readable');
    for (const text of [...texts, history]) assert.ok(!text.includes(CANARY));
  }
});
