import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

let idp: TestIdp;
before(async () => {
  idp = await startIdp();
});
after(() => idp.stop());

async function levelOf(path: string, headers: Record<string, string>): Promise<string> {
  const id = `trace-${crypto.randomUUID()}`;
  await idp.call('GET', path, { headers: { ...headers, 'x-request-id': id } });
  const deadline = Date.now() + 5_000;
  for (;;) {
    const line = idp.logged.find((entry) => entry.includes(id) && entry.includes('"msg":"request"'));
    if (line !== undefined) return JSON.parse(line).level;
    if (Date.now() > deadline) assert.fail(`no line of ${path}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

it('what machines poll is logged for debugging only, as long as it goes well; everything else is logged', async () => {
  assert.equal(await levelOf('/api/oauth/revocations', idp.internal), 'debug');
  assert.equal(await levelOf('/api/oauth/revocations', { 'x-client-id': 'nobody', 'x-client-secret': 'x' }), 'info');
  assert.equal(await levelOf('/.well-known/jwks.json', {}), 'info');
});
