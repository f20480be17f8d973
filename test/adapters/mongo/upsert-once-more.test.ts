import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { upsertOnceMore } from '../../../adapters/mongo/upsert-once-more.ts';

const duplicate = () => new MongoServerError({ message: 'E11000 duplicate key error', code: 11_000 });

/** Fails with each of the errors in turn, then succeeds. */
function failing(...errors: Error[]) {
  const attempts = { made: 0 };
  const upsert = async () => {
    const error = errors[attempts.made];
    attempts.made += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  return { attempts, upsert };
}

// A server refuses one of two upserts that insert at the same moment; the embedded stand-in runs them one by one.
describe('an upsert by a unique key', () => {
  it('that lost the race to insert is run again, once', async () => {
    const once = failing(duplicate());
    assert.equal(await upsertOnceMore(once.upsert), 'done');
    assert.equal(once.attempts.made, 2);
    const always = failing(duplicate(), duplicate(), duplicate());
    await assert.rejects(upsertOnceMore(always.upsert), { code: 11_000 });
    assert.equal(always.attempts.made, 2);
  });

  it('that failed for another reason is not run again, and a server that is away is UNAVAILABLE', async () => {
    const refused = failing(new MongoServerError({ message: 'not allowed', code: 13 }));
    await assert.rejects(upsertOnceMore(refused.upsert), { code: 13 });
    assert.equal(refused.attempts.made, 1);
    await assert.rejects(upsertOnceMore(failing(new MongoNetworkError('gone')).upsert), { code: 'UNAVAILABLE' });
    const later = failing(duplicate(), new MongoNetworkError('gone'));
    await assert.rejects(upsertOnceMore(later.upsert), { code: 'UNAVAILABLE' });
  });
});
