import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi, type TestApi } from '../../support/start-api.ts';

describe('backups of the platform in the API', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it('one that is asked for runs, is found at once, and stands in the list before older ones', async () => {
    const first = await api.call('POST', '/platform/backups');
    assert.equal(first.status, 202, first.text);
    const { id, status, kind, tier, requestedBy, problem } = first.body.data;
    assert.match(id, /^pbk_[0-9a-z]{20}$/);
    assert.deepEqual([status, kind, tier, requestedBy, problem], ['running', 'manual', 'manual', 'internal', null]);
    assert.ok(api.platformBackupWork.running.has(id));
    assert.deepEqual((await api.call('GET', `/platform/backups/${id}`)).body.data, first.body.data);
    const second = (await api.call('POST', '/platform/backups')).body.data;
    const { items, nextCursor } = (await api.call('GET', '/platform/backups?limit=1')).body.data;
    assert.equal(items.length, 1);
    const rest = (await api.call('GET', `/platform/backups?cursor=${nextCursor}`)).body.data;
    assert.deepEqual([...items, ...rest.items].map((item: { id: string }) => item.id).sort(), [id, second.id].sort());
    assert.equal(rest.nextCursor, null);
  });

  it('while one runs, another is refused, and leaves no record', async () => {
    const before = (await api.call('GET', '/platform/backups')).body.data.items.length;
    api.platformBackupWork.isBusy = true;
    const refused = await api.call('POST', '/platform/backups');
    api.platformBackupWork.isBusy = false;
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'BACKUP_IN_PROGRESS']);
    assert.equal((await api.call('GET', '/platform/backups')).body.data.items.length, before);
  });

  it('one that runs is cancelled; one that does not, and one that is not there, are refused', async () => {
    const { id } = (await api.call('POST', '/platform/backups')).body.data;
    assert.equal((await api.call('POST', `/platform/backups/${id}/cancel`)).status, 202);
    const again = await api.call('POST', `/platform/backups/${id}/cancel`);
    assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
    const none = await api.call('POST', '/platform/backups/pbk_none/cancel');
    assert.deepEqual([none.status, none.body.error.code], [404, 'BACKUP_NOT_FOUND']);
    assert.match(none.body.error.message, /fairlead platform backups/);
  });
});
