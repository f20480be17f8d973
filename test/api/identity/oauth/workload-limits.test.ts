import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { createPlatformProxy } from '../../../../adapters/edge-router/platform-proxy.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createLogins } from './logins.ts';

const PER_MINUTE = 20;

let idp: TestIdp;
let proxy: ReturnType<typeof createPlatformProxy>;
let folder: string;
before(async () => {
  idp = await startIdp({ requestsPerMinute: PER_MINUTE });
  folder = await mkdtemp(join(tmpdir(), 'fairlead-proxy-'));
  proxy = createPlatformProxy({ addresses: [idp.issuer], onError: () => undefined });
  proxy.server.listen(join(folder, 'http.sock'));
  await once(proxy.server, 'listening');
});
after(async () => {
  await proxy.close(100);
  await idp.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a workload that floods the provider uses up no limit of the processes and people of the machine', async () => {
  const ofWorkload = async (): Promise<number | undefined> => {
    const headers = { host: new URL(idp.issuer).host, 'x-forwarded-for': '127.0.0.1' };
    const asked = request({ socketPath: join(folder, 'http.sock'), path: '/.well-known/jwks.json', headers }).end();
    const [answer] = await once(asked, 'response');
    await text(answer);
    return answer.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 2 * PER_MINUTE }, ofWorkload));
  assert.ok(statuses.includes(429), 'its own limit is used up');
  const logins = createLogins(idp);
  const reply = await logins.token(await logins.client(), { grant_type: 'client_credentials' });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(await ofWorkload(), 429);
});
