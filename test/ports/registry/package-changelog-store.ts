import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PackageChangelogStore } from '../../../domain/registry/ports.ts';

const published = (version: string, name = '@fairlead/sdk', notes = `what ${version} changes`) => ({
  package: name,
  version,
  notes,
  publishedBy: 'internal',
  publishedAt: new Date('2026-05-04T12:00:00Z'),
});

/** What every {@link PackageChangelogStore} guarantees. */
export function packageChangelogStoreSuite(store: () => PackageChangelogStore): void {
  describe('PackageChangelogStore', () => {
    it('finds what was published for exactly that package and version', async () => {
      await store().publish(published('1.2.0'));
      assert.deepEqual(await store().find('@fairlead/sdk', '1.2.0'), published('1.2.0'));
      assert.equal(await store().find('@fairlead/sdk', '1.2'), null);
      assert.equal(await store().find('@other/sdk', '1.2.0'), null);
    });

    it('published notes stay: the same again is no error, others are refused', async () => {
      await store().publish(published('2.0.0'));
      await store().publish({ ...published('2.0.0'), publishedBy: 'usr_eve' });
      await assert.rejects(store().publish(published('2.0.0', '@fairlead/sdk', 'nothing')), { code: 'CONFLICT' });
      assert.deepEqual(await store().find('@fairlead/sdk', '2.0.0'), published('2.0.0'));
    });

    it('lists in pages that miss and repeat nothing, of one package or of all', async () => {
      for (const version of ['1.0.1', '1.0.0', '1.1.0']) await store().publish(published(version, 'pages'));
      await store().publish(published('0.1.0', 'pages-beside'));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().list('pages', { cursor, limit: 2 });
        seen.push(...page.items.map(({ version }) => version));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, ['1.0.0', '1.0.1', '1.1.0']);
      const all = await store().list(null, { cursor: null, limit: 200 });
      assert.ok(all.items.some((item) => item.package === 'pages-beside'));
    });
  });
}
