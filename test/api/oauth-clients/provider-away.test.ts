import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { startApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp } from '../../support/start-idp.ts';

describe('an identity provider that is away', () => {
  const away = async (clients: Parameters<typeof startApi>[1]) => {
    const builder = await startApi(null, clients);
    try {
      const { status, body, headers } = await builder.call('GET', '/oauth/clients');
      return { status, code: body.error.code, retryAfter: headers.get('retry-after'), text: body.error.message };
    } finally {
      await builder.stop();
    }
  };

  it('is said to be away, and worth another try', async () => {
    const { status, code, retryAfter } = await away(
      createClientAdministration({ url: 'http://127.0.0.1:1', internalKey: IDP_KEY }),
    );
    assert.deepEqual([status, code, retryAfter], [503, 'UNAVAILABLE', '2']);
  });

  it('that does not take the builder’s key is no fault of the caller', async () => {
    const idp = await startIdp();
    const wrongKey = 'wrong-key-wrong-key-wrong-key-wrong!';
    const clients = createClientAdministration({ url: idp.address, internalKey: wrongKey });
    const { status, code, text } = await away(clients).finally(idp.stop);
    assert.deepEqual([status, code], [503, 'UNAVAILABLE']);
    assert.match(text, /IDP_INTERNAL_KEY/);
    assert.ok(!text.includes(wrongKey));
  });

  it('that is not configured is said to be so', async () => {
    const { status, text } = await away(null);
    assert.equal(status, 503);
    assert.match(text, /IDP_URL/);
  });
});
