import assert from 'node:assert/strict';
import { waitUntil } from './wait-until.ts';

const FEED = '/api/oauth/revocations';

/** A `fetch` that counts the reads of the denylist which were begun with it. */
export function countDenylistReads() {
  let begun = 0;
  const counted: typeof fetch = (input, init) => {
    if (String(input).includes(FEED)) begun += 1;
    return fetch(input, init);
  };
  return { fetch: counted, begun: () => begun };
}

/**
 * Waits until something that was just revoked is refused. Reads follow each other, and the first that begins after the
 * revocation shows it: so nothing is accepted once another one has begun after that. As reads are half a second apart,
 * this is what a second means.
 *
 * @param begun counts reads of the denylist
 */
export async function untilRefused(isAccepted: () => Promise<boolean>, begun: () => number): Promise<void> {
  const revokedAt = begun();
  await waitUntil('what was revoked to be refused', async () => {
    const before = begun();
    if (!(await isAccepted())) return true;
    assert.ok(before <= revokedAt + 1, `accepted after ${before - revokedAt - 1} whole reads of the denylist`);
    return false;
  });
}
