import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { Client, Connection } from '@temporalio/client';
import { temporalTls } from '../../../adapters/temporal/tls.ts';
import { SEARCH_ATTRIBUTES } from '../../../domain/search-attributes.ts';
import { temporalCertificates } from '../../../infra/dev/temporal-certificates.ts';
import { databaseFile } from '../../../infra/dev/temporal-config.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  part = await runPart('temporal');
});
after(() => part.stop());

const address = (): string => `127.0.0.1:${part.context.ports.temporal}`;
const certificates = () => temporalCertificates(part.context.dataDir);

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: address(), tls: temporalTls(certificates().client) });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** All ports that its configuration names. */
async function portsOfServer(): Promise<readonly number[]> {
  const text = await readFile(join(part.context.dataDir, 'temporal', 'config', 'embedded.yaml'), 'utf8');
  const { services } = JSON.parse(text) as { services: Record<string, { rpc: Record<string, unknown> }> };
  return Object.values(services).flatMap(({ rpc }) => [Number(rpc.grpcPort), Number(rpc.membershipPort)]);
}

test('a client with the certificate works, finds the search attributes, and its workflows survive a restart', async () => {
  const attribute = SEARCH_ATTRIBUTES.service;
  await withClient(async (client) => {
    const searchAttributes = { [attribute]: ['shop'] };
    await client.workflow.start('Waiting', { taskQueue: 'nobody', workflowId: 'kept', searchAttributes });
  });
  await part.restart();
  const { status } = await withClient((client) => client.workflow.getHandle('kept').describe());
  assert.equal(status.name, 'RUNNING');
});

test('every port of it refuses who has no certificate, or one of another authority', async () => {
  const ports = await portsOfServer();
  assert.equal(ports.length, 8);
  assert.ok(ports.includes(part.context.ports.temporal ?? 0));
  const foreign = await runPart('temporal');
  try {
    const { certificate = '', key = '' } = temporalCertificates(foreign.context.dataDir).client;
    const other = { cert: await readFile(certificate), key: await readFile(key) };
    const { client } = certificates();
    const own = { cert: await readFile(client.certificate ?? ''), key: await readFile(client.key ?? '') };
    assert.equal(await answerOf(part.context.ports.temporal ?? 0, own), 'served');
    for (const port of ports) {
      // The worker service has a port for gRPC in its configuration, and does not open it.
      const refused = port === ports.at(-2) ? /ALERT|ECONNREFUSED/ : /ALERT/;
      assert.match(await answerOf(port, {}), refused, `port ${port} without a certificate`);
      assert.match(await answerOf(port, other), refused, `port ${port} with another's certificate`);
    }
  } finally {
    await foreign.stop();
  }
  await assert.rejects(Connection.connect({ address: address(), tls: false, connectTimeout: '2s' }));
});

/** How a TLS 1.3 server answers a client that speaks HTTP/2: with frames of its own, or with an alert, by its code. */
function answerOf(port: number, options: { readonly cert?: Buffer; readonly key?: Buffer }): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'], ...options });
    const settle = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
    socket.once('data', () => settle('served'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    socket.once('close', () => settle('closed'));
  });
}

test('keys are for their owner alone, and stay the same over a restart; that of the authority is not kept', async () => {
  const folder = join(part.context.dataDir, 'temporal', 'tls');
  const files = (await readdir(folder)).toSorted();
  assert.deepEqual(files, ['ca.pem', 'client.key', 'client.pem', 'server.key', 'server.pem']);
  for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
  const client = await readFile(join(folder, 'client.pem'), 'utf8');
  await part.restart();
  assert.equal(await readFile(join(folder, 'client.pem'), 'utf8'), client);
});

test('its data is in a folder for its owner alone, also where that was open before', async () => {
  const folder = join(part.context.dataDir, 'temporal');
  await chmod(folder, 0o755);
  await part.restart();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test('a first start that was killed while it made its tables is no obstacle to the next', async () => {
  const complete = new DatabaseSync(databaseFile(part.context.dataDir), { readOnly: true });
  const tables = complete.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid LIMIT 20").all();
  complete.close();
  const killed = await runPart('temporal', async ({ dataDir }) => {
    await mkdir(dirname(databaseFile(dataDir)));
    const database = new DatabaseSync(databaseFile(dataDir));
    for (const { sql } of tables) database.exec(String(sql));
    database.close();
  });
  await killed.stop();
});
