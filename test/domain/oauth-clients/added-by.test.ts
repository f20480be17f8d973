import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AddedBy, additionsOf, takesAddition, wasAddedBy } from '../../../domain/oauth-clients/added-by.ts';
import { clientRecord } from './client-record.ts';

const taken = { org: 'helpers', revision: 4 };
const by = (org: string | null, sharingRevision: number | null): AddedBy => ({
  org,
  actor: 'usr_eve',
  sharingRevision,
});

describe('what is added to a client by hand', () => {
  it('goes with the org that added it while it shared the service', () => {
    const table: readonly (readonly [string, AddedBy | null, boolean])[] = [
      ['nobody knows who', null, false],
      ['the org, let in before', by('helpers', 3), true],
      ['the org, let in again since', by('helpers', 5), false],
      ['the org, as the owner of the client', by('helpers', null), false],
      ['another org that shares it', by('agency', 3), false],
      ['the owner', by('acme', null), false],
      ['the platform', by(null, null), false],
    ];
    for (const [who, addedBy, goes] of table) {
      assert.equal(wasAddedBy(addedBy, taken), goes, who);
      const value = 'https://a.test';
      const client = clientRecord({
        secrets: [{ id: 'sec_1', hash: '', issuedFor: null, addedBy, createdAt: new Date(0), lastUsedAt: null }],
        addedEntries: addedBy === null ? [] : [{ list: 'redirectUris', value, ...addedBy }],
      });
      const { secretIds, entries } = additionsOf(client, taken);
      assert.deepEqual([secretIds.length, entries.length], goes ? [1, 1] : [0, 0], who);
    }
  });

  it('is taken of an org that shares the service only when no org was taken out since it was let in', () => {
    const client = clientRecord({ sharingRevision: 4 });
    const table = [
      [null, true],
      [by('acme', null), true],
      [by('helpers', 3), false],
      [by('helpers', 4), true],
      [by('helpers', 5), true],
    ] as const;
    for (const [addedBy, takes] of table) assert.equal(takesAddition(client, addedBy), takes, JSON.stringify(addedBy));
  });
});
