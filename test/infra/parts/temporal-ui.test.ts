import assert from 'node:assert/strict';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { temporalTls } from '../../../adapters/temporal/tls.ts';
import { temporalCertificates } from '../../../infra/dev/temporal-certificates.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  part = await runPart(['temporal', 'temporal-ui']);
  const { client: files } = temporalCertificates(part.context.dataDir);
  const address = `127.0.0.1:${part.context.ports.temporal}`;
  const connection = await Connection.connect({ address, tls: temporalTls(files) });
  const client = new Client({ connection });
  await client.workflow.start('CanaryType', { taskQueue: 'nobody', workflowId: 'canary-workflow' });
  await connection.close();
});
after(() => part.stop());

const PATHS = ['/', '/namespaces/default/workflows', '/api/v1/settings', '/api/v1/namespaces', '/api/v1/cluster-info'];
const WORKFLOW = '/api/v1/namespaces/default/workflows/canary-workflow';

interface Call {
  readonly method?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const password = (): string => part.context.secret('TEMPORAL_UI_PASSWORD');

function call(
  path: string,
  { method = 'GET', password, headers = {} }: Call = {},
  port = part.context.ports.temporalUi,
) {
  const basic = Buffer.from(`fairlead:${password}`).toString('base64');
  const authorization = password === undefined ? {} : { authorization: `Basic ${basic}` };
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...authorization, ...headers } });
}

/** Ports of the program behind the guard, and of its way to Temporal. */
async function innerPorts(): Promise<{ ui: number; grpc: number }> {
  assert.equal((await call('/', { password: password() })).status, 200, 'it has started');
  const text = await readFile(join(part.context.dataDir, 'temporal-ui', 'config', 'embedded.yaml'), 'utf8');
  const { port, temporalGrpcAddress } = JSON.parse(text);
  return { ui: port, grpc: Number(temporalGrpcAddress.split(':')[1]) };
}

test('the UI shows nothing without the password, which is in no command line', async () => {
  for (const path of [...PATHS, WORKFLOW]) {
    for (const wrong of [undefined, '', 'wrong', `${password()}x`]) {
      const answer = await call(path, wrong === undefined ? {} : { password: wrong });
      assert.equal(answer.status, 401, `${path} ${wrong}`);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic/);
      assert.doesNotMatch(await answer.text(), /canary/);
    }
    assert.equal((await call(path, { headers: { authorization: `Bearer ${password()}` } })).status, 401);
  }
  assert.ok(!part.commandLine.includes(password()));
});

test('with the password it shows its pages and the workflows of the server', async () => {
  const page = await call('/', { password: password() });
  assert.match(await page.text(), /<html/);
  const answer = await call(WORKFLOW, { password: password() });
  assert.equal(answer.status, 200);
  const { workflowExecutionInfo } = (await answer.json()) as { workflowExecutionInfo: { type: { name: string } } };
  assert.equal(workflowExecutionInfo.type.name, 'CanaryType');
  const missing = await call('/api/v1/namespaces/default/workflows/none', { password: password() });
  assert.equal(missing.status, 404);
});

test('it changes workflows for its own pages, and not for pages of others', async () => {
  const cookie = (await call('/', { password: password() })).headers.get('set-cookie')?.split(';')[0] ?? '';
  const token = cookie.split('=')[1] ?? '';
  const origin = `http://127.0.0.1:${part.context.ports.temporalUi}`;
  const change = (headers: Readonly<Record<string, string>>) =>
    call(`${WORKFLOW}/signal/hello`, { method: 'POST', password: password(), headers });
  assert.equal((await change({ cookie, 'x-csrf-token': token, origin: 'http://evil.example' })).status, 403);
  assert.ok((await change({ origin })).status >= 400, 'without the token of a page');
  assert.equal((await change({ cookie, 'x-csrf-token': token, origin })).status, 200);
});

test('past the guard, the program behind it gives no data', async () => {
  const { ui } = await innerPorts();
  assert.equal((await call('/', {}, ui)).status, 200, 'it is the program');
  const tries = [{}, { password: password() }, { headers: { 'x-fairlead-ui': 'made-up' } }];
  for (const attempt of tries) {
    for (const path of [WORKFLOW, '/api/v1/namespaces', '/api/v1/namespaces/default', '/api/v1/cluster-info']) {
      const answer = await call(path, attempt, ui);
      assert.equal(answer.status, 401, path);
      assert.doesNotMatch(await answer.text(), /canary|default/);
    }
  }
});

test('the way of that program to Temporal leads nobody else there', async () => {
  const { grpc } = await innerPorts();
  for (const metadata of [{}, { 'x-fairlead-ui': 'made-up' }]) {
    const connection = Connection.lazy({ address: `127.0.0.1:${grpc}`, tls: false, metadata });
    await assert.rejects(connection.workflowService.listNamespaces({}), { code: 16 });
    await connection.close();
  }
});

test('a restart leaves no program behind', async () => {
  const before = await innerPorts();
  await part.restart();
  await innerPorts();
  for (const port of [before.ui, before.grpc]) await assert.rejects(call('/', {}, port));
});

test('its data is in a folder for its owner alone, also where that was open before', async () => {
  const folder = join(part.context.dataDir, 'temporal-ui');
  await chmod(folder, 0o755);
  await part.restart();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});
