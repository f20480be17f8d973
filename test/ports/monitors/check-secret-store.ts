import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { OrgSecrets } from '../../../domain/monitors/check-secret.ts';
import type { CheckSecretStore } from '../../../domain/monitors/ports.ts';

/** What every {@link CheckSecretStore} guarantees. Orgs are new for each test. */
export function checkSecretStoreSuite(store: () => CheckSecretStore): void {
  describe('CheckSecretStore', () => {
    const newSecrets = (): OrgSecrets => {
      const sealed = { keyId: 'k', sealed: 's' };
      const secret = { name: 'token', hosts: ['a.example', 'b.example:8443'], sealed, setBy: 'usr_ada' };
      const setAt = new Date('2026-11-01T10:00:00Z');
      return { org: `org-${randomBytes(6).toString('hex')}`, secrets: [{ ...secret, setAt }], revision: 1 };
    };

    it('gives back what was written, and of an org without any that there is none', async () => {
      const secrets = newSecrets();
      assert.deepEqual(await store().find(secrets.org), { org: secrets.org, secrets: [], revision: 0 });
      assert.equal(await store().write(secrets), true);
      assert.deepEqual(await store().find(secrets.org), secrets);
    });

    it('tells the revisions of the orgs that are asked for, and leaves out those without any', async () => {
      const [one, other, none] = [newSecrets(), newSecrets(), newSecrets()];
      for (const each of [one, other]) await store().write(each);
      await store().write({ ...other, secrets: [], revision: 2 });
      const asked = await store().revisions([one.org, other.org, none.org]);
      assert.deepEqual(
        asked,
        new Map([
          [one.org, 1],
          [other.org, 2],
        ]),
      );
      assert.deepEqual(await store().revisions([]), new Map());
    });

    it('takes the next revision alone, of two who write it the first', async () => {
      const secrets = newSecrets();
      const next = { ...secrets, secrets: [], revision: 2 };
      const first = await Promise.all([store().write(secrets), store().write(secrets)]);
      assert.deepEqual(first.toSorted(), [false, true]);
      assert.equal(await store().write({ ...next, revision: 3 }), false);
      const second = await Promise.all([store().write(next), store().write(next)]);
      assert.deepEqual(second.toSorted(), [false, true]);
      assert.deepEqual(await store().find(secrets.org), next);
    });
  });
}
