import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOrgPlaces } from '../../activities/org-places.ts';

describe('the places of an org', () => {
  it('are its own: one whose git host never answers holds up no other', async () => {
    const inOrgPlace = createOrgPlaces('Git hosts', 2);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const slow = [1, 2].map(() => inOrgPlace('acme', () => answered));
    const refused = { code: 'UNAVAILABLE', retryable: true, details: { retryAfterSeconds: 3 } };
    await assert.rejects(
      inOrgPlace('acme', async () => assert.fail('it was asked')),
      refused,
    );
    assert.equal(await inOrgPlace('other', async () => 'looked'), 'looked');
    assert.equal(await inOrgPlace(null, async () => 'looked'), 'looked', 'of a connection that is gone');
    answer();
    await Promise.all(slow);
    assert.equal(await inOrgPlace('acme', async () => 'looked'), 'looked');
  });

  it('are given back by what fails', async () => {
    const inOrgPlace = createOrgPlaces('Git hosts', 1);
    for (let times = 0; times < 3; times += 1) {
      await assert.rejects(
        inOrgPlace('acme', async () => Promise.reject(new Error('failed'))),
        /failed/,
      );
    }
  });
});
