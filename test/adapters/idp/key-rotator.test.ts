import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createIdpCall } from '../../../adapters/idp/idp-call.ts';
import { createKeyRotator } from '../../../adapters/idp/key-rotator.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';

const MONTH_MS = 31 * 86_400_000;

describe('asking the identity provider to rotate its keys', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());

  const rotator = (url: string, internalKey = KEY) => createKeyRotator(createIdpCall({ url, internalKey }));
  const signal = new AbortController().signal;

  it('does what is due, once', async () => {
    const { rotateDue } = rotator(idp.address);
    assert.deepEqual(await rotateDue(signal), { activated: null, retired: null, removed: [], created: [] });
    idp.advance(MONTH_MS);
    const [active] = (await idp.deps.signingKeys.read()).keys.filter(({ state }) => state === 'active');
    const done = await rotateDue(signal);
    assert.equal(done.retired, active?.id);
    assert.equal(done.created.length, 1);
    assert.equal((await rotateDue(signal)).activated, null);
  });

  it('a provider that is away, or takes another key, is worth another try', async () => {
    const away = (error: unknown) => error instanceof FairleadError && error.code === 'UNAVAILABLE' && error.retryable;
    await assert.rejects(rotator('http://127.0.0.1:9').rotateDue(signal), away);
    await assert.rejects(rotator(idp.address, 'wrong-internal-key-0123456789012345').rotateDue(signal), away);
  });
});
