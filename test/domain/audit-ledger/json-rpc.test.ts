import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { z } from 'zod';
import { callNode, NodeSilence, RpcRefusal } from '../../../domain/audit-ledger/json-rpc.ts';

const ROOT = join(import.meta.dirname, '../../..');
const KEY = 'provider-key-canary';

async function answerOf(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const node = { url: `http://127.0.0.1:${port}/v3/${KEY}`, fetch, timeoutMs: 2_000 };
  return await callNode(node, 'eth_chainId', [], z.string())
    .catch((error: unknown) => error)
    .finally(async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
}

it('what a node answers, and what it refuses with the data of the contract, is told apart from silence', async () => {
  const json =
    (body: object): RequestListener =>
    (_request, response) =>
      void response.end(JSON.stringify(body));
  assert.equal(await answerOf(json({ result: '0x1' })), '0x1');
  const refusal = await answerOf(json({ error: { message: 'execution reverted', data: '0xab' } }));
  assert.ok(refusal instanceof RpcRefusal);
  assert.deepEqual([refusal.message, refusal.revertData], ['execution reverted', '0xab']);
});

it('no redirect is followed, no endless answer is read, and no error repeats the address of the node', async () => {
  let redirected = 0;
  const silent: RequestListener[] = [
    (request, response) => {
      if (request.url === '/other') redirected += 1;
      response.writeHead(307, { location: '/other' }).end();
    },
    (_request, response) => void response.end(`{"result":"${'a'.repeat(5 * 1024 ** 2)}"}`),
    (_request, response) => void response.writeHead(503).end('{"result":"0x1"}'),
    (_request, response) => void response.end('{"result":1}'),
    (_request, response) => void response.end('<html>'),
    (_request, response) => void response.destroy(),
  ];
  for (const listener of silent) {
    const error = await answerOf(listener);
    assert.ok(error instanceof NodeSilence, String(error));
    assert.ok(!`${error.message} ${error.stack} ${String(error.cause)}`.includes(KEY));
  }
  assert.equal(redirected, 0);
});

it('the ledger and those who verify its proofs have one client of JSON-RPC', async () => {
  const clients: string[] = [];
  for (const folder of ['domain', 'adapters/chain', 'sdk', 'cli']) {
    for await (const path of glob(`${folder}/**/*.ts`, { cwd: ROOT })) {
      if ((await readFile(join(ROOT, path), 'utf8')).includes("jsonrpc: '2.0'")) clients.push(path);
    }
  }
  assert.deepEqual(clients, ['domain/audit-ledger/json-rpc.ts']);
});
