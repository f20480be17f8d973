import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LABELS } from '../../adapters/docker/labels.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { runCli } from '../cli/run-cli.ts';
import { commandsInBlocks } from '../docs/page-commands.ts';
import {
  assertClean,
  assertDatabasesClean,
  assertFilesClean,
  assertImagesClean,
  imagesOfBuilds,
} from '../hostile/secret-places.ts';
import { watchProcesses } from '../hostile/watch-processes.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { waitUntil } from '../support/wait-until.ts';
import { collectText } from './collect-text.ts';
import { api, connection, dataFolder, logText, parts, visit } from './harness.ts';
import { buildsOf, docker, type SampleService, sampleService, temporalClient } from './sample-service.ts';

const CANARY = 'canary-e2e-of-the-locker-0123456789';

/** A credential on its way from the locker into a container, by the commands of docs/locker.md on the whole stack. */
describe('a secret copied out of the locker', { timeout: 300_000 }, () => {
  let service: SampleService;
  let handle: string;
  let page: string;
  const shown: string[] = [];
  let watch: ReturnType<typeof watchProcesses>;
  before(async () => {
    watch = watchProcesses();
    service = await sampleService('locker', { shows: ['STRIPE_KEY'] });
    handle = `lk://platform/e2e/${service.name}`;
    page = await readFile(join(projectRoot, 'docs/locker.md'), 'utf8');
  });
  after(async () => {
    watch.stop();
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
  /** A command of the page, with the service and the handle of this test. */
  const command = (words: readonly string[]): readonly string[] =>
    words
      .slice(2)
      .map((word) => word.replace('lk://acme/main/stripe', handle).replace('../my-app', service.repository.path))
      .map((word) => (word === 'my-app' ? service.name : word));

  it('reaches the container of the service that the item is bound to, and no other', async () => {
    const [put = [], bind = [], copy = [], deploy = [], ...more] = commandsInBlocks(page).map(({ words }) =>
      command(words),
    );
    assert.deepEqual(more, []);
    assert.equal((await cli(put, CANARY)).code, 0, shown.at(-1));
    assert.match((await cli(copy)).stderr, /NOT_BOUND/);
    for (const one of [bind, copy, deploy]) assert.equal((await cli(one)).code, 0, shown.at(-1));
    const [build] = await buildsOf(service.name);
    assert.ok(build);
    assert.equal(JSON.parse((await visit(service.name)).body).STRIPE_KEY, CANARY);
    const list = await cli(['config', 'list', '--service', service.name]);
    const [, line = ''] = /copied from: `(.*)`/.exec(page) ?? [];
    assert.ok(list.stdout.includes(line.replace('lk://acme/main/stripe', handle)), `${line}\n${list.stdout}`);

    const read = (type: string) => cli(['audit', 'events', '--entity', handle, '--type', type, '--json']);
    for (const type of ['locker.item_resolve_refused', 'locker.item_resolved']) {
      await waitUntil(`${type} in the ledger`, async () => (await read(type)).stdout.includes(service.name), {
        withinMs: 30_000,
        everyMs: 500,
      });
    }
    await assertNowhere(build.id);
  });

  /** What was shown, logged, recorded, answered or built, the history of the workflow, and what `ps` showed meanwhile. */
  async function assertNowhere(buildId: string): Promise<void> {
    const reply = async (path: string) => JSON.stringify(await api('GET', path));
    const { name } = service;
    const paths = [
      `/builds/${buildId}`,
      `/services/${name}`,
      `/services/${name}/releases`,
      `/services/${name}/config/history`,
    ];
    const secrets = { canary: CANARY };
    const texts = [...shown, await logText(buildId), ...(await Promise.all(paths.map(reply)))];
    for (const text of texts) assertClean(text, 'what was answered', secrets);
    const folder = dataFolder();
    for (const name of ['logs', 'service-logs', 'workspaces', 'audit-outbox', 'docker-client']) {
      await assertFilesClean(join(folder, name), secrets);
    }
    await using temporal = await temporalClient();
    const history = collectText(await temporal.client.workflow.getHandle(buildWorkflowId(buildId)).fetchHistory());
    assert.match(history, new RegExp(name), 'payloads were readable');
    assertClean(history, 'the history of the build', secrets);
    await assertDatabasesClean(await stackDatabaseUri(folder, (await parts()).mongo?.address), () => secrets);
    const [image] = await imagesOfBuilds(docker, `${LABELS.build}=${buildId}`);
    assert.ok(image?.names[0] !== undefined, 'the image of the build is there');
    await assertImagesClean(docker, image.names.slice(0, 1), secrets);
    const seen = [...watch.stop()];
    assert.ok(seen.length > 20, 'processes were seen');
    for (const args of seen) assertClean(args, 'the arguments of a process', secrets);
  }
});
