import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { runtimeVariables } from '../../../infra/dev/runtime-variables.ts';
import { freePort } from '../../support/free-port.ts';

const main = fileURLToPath(new URL('../../../workers/edge.ts', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'edge-process-'));
const limit = { signal: AbortSignal.timeout(20_000) };

function start(port: number, tlsPort: number): ChildProcess {
  const settings = { EDGE_PORT: String(port), EDGE_TLS_PORT: String(tlsPort), DATA_DIR: dataDir, HOST: '127.0.0.1' };
  const env = { ...runtimeVariables(process.env), PATH: process.env.PATH, ...settings };
  return fork(main, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
}

describe('the edge process', () => {
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`says when it serves, and ends with 0 on ${signal}`, async () => {
      const port = await freePort();
      const child = start(port, await freePort());
      assert.deepEqual((await once(child, 'message', limit))[0], 'ready');
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit', limit), [0, null]);
    });
  }

  it('ends by itself when its supervisor is gone', async () => {
    const child = start(await freePort(), await freePort());
    await once(child, 'message', limit);
    child.disconnect();
    assert.deepEqual(await once(child, 'exit', limit), [0, null]);
  });

  for (const variable of ['EDGE_PORT', 'EDGE_TLS_PORT'] as const) {
    it(`says that the port of ${variable} is in use and ends with 1`, async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      const child = variable === 'EDGE_PORT' ? start(port, await freePort()) : start(await freePort(), port);
      let output = '';
      child.stderr?.on('data', (chunk) => {
        output += chunk;
      });
      assert.deepEqual(await once(child, 'close', limit), [1, null]);
      assert.match(output, new RegExp(`^edge: port ${port} is in use; .*${variable}\\n`));
      taken.close();
    });
  }

  it('refuses every handshake until there is a certificate', async () => {
    const tlsPort = await freePort();
    const child = start(await freePort(), tlsPort);
    await once(child, 'message', limit);
    const socket = connect({ host: '127.0.0.1', port: tlsPort, servername: 'shop.example.com' });
    await assert.rejects(once(socket, 'secureConnect', limit), { code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' });
    child.kill();
    assert.deepEqual(await once(child, 'exit', limit), [0, null]);
  });
});
