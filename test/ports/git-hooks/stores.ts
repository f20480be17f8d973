import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { ConnectionSecret } from '../../../domain/git-hooks/connection.ts';
import { outcome } from '../../../domain/git-hooks/delivery.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore } from '../../../domain/git-hooks/ports.ts';
import { connectionRecord, deliveryRecord } from './records.ts';

const DAY_MS = 24 * 3_600_000;
const ALL = { cursor: null, limit: 50 };

/** What every {@link GitConnectionStore} guarantees. */
export function gitConnectionStoreSuite(store: () => GitConnectionStore): void {
  describe('GitConnectionStore', () => {
    it('keeps one connection of an org and repository, whoever comes first', async () => {
      const first = connectionRecord({ org: 'once' });
      const second = { ...connectionRecord({ org: 'once' }), repositoryKey: first.repositoryKey };
      const inserted = await Promise.all([store().insert(first), store().insert(second)]);
      assert.deepEqual(inserted.filter(Boolean), [true]);
      const kept = await store().findFor(first);
      assert.deepEqual(await store().find(kept?.id ?? ''), kept);
      assert.equal(await store().insert({ ...second, id: 'gcn_other_org', org: 'once-more' }), true);
    });

    it('keeps what is to be removed until that has ended, of the first who asked for it', async () => {
      const { id, org, provider, repository, apiUrl } = connectionRecord();
      const hookAddress = 'https://builder.example/hooks/git/1';
      const asked = (ms: number) => ({
        ...{ id, org, provider, repository, apiUrl },
        ...{ hookAddress, askedBy: 'usr_ada', requestId: 'req_1' },
        services: [{ serviceId: 'svc_1', service: 'shop' }],
        askedAt: new Date(ms),
      });
      const first = { ...asked(2_000), token: { keyId: 'k', sealed: 'token' } };
      const older = { ...asked(1_000), id: connectionRecord().id, token: null };
      assert.equal(await store().findRemoval(id), null);
      assert.equal(await store().beginRemoval(first), true);
      assert.equal(await store().beginRemoval({ ...first, askedAt: new Date(3_000) }), false);
      assert.equal(await store().beginRemoval(older), true);
      assert.deepEqual(await store().findRemoval(id), first);
      assert.deepEqual(await store().listRemovals(new Date(2_001), 10), [older, first]);
      assert.deepEqual(await store().listRemovals(new Date(2_001), 1), [older]);
      assert.deepEqual(await store().listRemovals(new Date(2_000), 10), [older]);
      for (const one of [id, id, older.id]) await store().endRemoval(one);
      assert.deepEqual(await store().listRemovals(new Date(2_001), 10), []);
    });

    it('gives back what it was given', async () => {
      const connection = connectionRecord({
        token: { keyId: 'k', sealed: 'token' },
        tokenProblem: { code: 'GIT_TOKEN_REFUSED', message: 'revoked', at: new Date(1_000) },
        hookId: '7',
        verifiedAt: new Date(2_000),
        baselineAt: new Date(3_000),
        pollMinutes: 5,
        paused: true,
        apiUrl: 'https://git.example/api/v1',
      });
      await store().insert(connection);
      assert.deepEqual(await store().find(connection.id), connection);
      assert.equal(await store().find('gcn_none'), null);
    });

    it('replaces the revision that was read, and no other', async () => {
      const connection = connectionRecord();
      await store().insert(connection);
      const change = { ...connection, paused: true };
      const replaced = await Promise.all([store().replace(change, 1), store().replace(change, 1)]);
      assert.deepEqual(replaced.filter(Boolean), [true]);
      const kept = await store().find(connection.id);
      assert.deepEqual([kept?.paused, kept?.revision], [true, 2]);
      assert.equal(await store().replace({ ...connection, id: 'gcn_none' }, 1), false);
    });

    it('notes the first genuine delivery once, and ends polling for good', async () => {
      const connection = connectionRecord({ pollMinutes: 5 });
      await store().insert(connection);
      const at = new Date(5_000);
      const verified = await Promise.all([store().verify(connection.id, at), store().verify(connection.id, at)]);
      assert.deepEqual(verified.filter(Boolean), [true]);
      const kept = await store().find(connection.id);
      assert.deepEqual([kept?.verifiedAt, kept?.pollMinutes], [at, null]);
      // What somebody read before that does not start it again.
      assert.equal(await store().replace({ ...connection, paused: true }, connection.revision), false);
      await store().replace({ ...(kept ?? connection), verifiedAt: null }, kept?.revision ?? 0);
      assert.deepEqual((await store().find(connection.id))?.verifiedAt, at);
    });

    it('notes the last genuine delivery, and counts those that were refused since', async () => {
      const connection = connectionRecord();
      await store().insert(connection);
      const refused = (count: number, ms: number) =>
        store().noteDeliveries(connection.id, {
          ...{ lastDeliveryAt: null, refusedDeliveries: count, lastRefusedAt: new Date(ms) },
        });
      const delivered = (ms: number, count = 0) =>
        store().noteDeliveries(connection.id, {
          ...{ lastDeliveryAt: new Date(ms), refusedDeliveries: count },
          lastRefusedAt: count === 0 ? null : new Date(ms + 1),
        });
      const noted = async () => {
        const found = await store().find(connection.id);
        assert.equal(found?.revision, 1, 'nobody changed it');
        return [found?.lastDeliveryAt?.getTime(), found?.refusedDeliveries, found?.lastRefusedAt?.getTime()];
      };
      await refused(3, 1_000);
      await refused(2, 2_000);
      assert.deepEqual(await noted(), [undefined, 5, 2_000]);
      await delivered(5_000);
      assert.deepEqual(await noted(), [5_000, 0, undefined]);
      await refused(1, 6_000);
      await delivered(4_000);
      assert.deepEqual(await noted(), [5_000, 1, 6_000], 'another process noted a later one');
      await delivered(7_000, 2);
      assert.deepEqual(await noted(), [7_000, 2, 7_001]);
      await store().replace({ ...connection, paused: true }, 1);
      const kept = await store().find(connection.id);
      assert.deepEqual([kept?.lastDeliveryAt, kept?.refusedDeliveries], [new Date(7_000), 2]);
      await store().noteDeliveries('gcn_none', { lastDeliveryAt: null, refusedDeliveries: 1, lastRefusedAt: null });
      assert.equal(await store().find('gcn_none'), null);
    });

    it('notes the baseline of the revision that was looked at', async () => {
      const connection = connectionRecord();
      await store().insert(connection);
      await store().setBaseline(connection.id, 7, new Date(1_000));
      assert.equal((await store().find(connection.id))?.baselineAt, null);
      await store().setBaseline(connection.id, 1, new Date(1_000));
      assert.deepEqual((await store().find(connection.id))?.baselineAt, new Date(1_000));
    });

    it('puts another form of a secret in the place of the one it was made of, and makes earlier changes fail', async () => {
      const sealed = (text: string) => ({ keyId: 'k', sealed: text });
      const secrets = ['ghs_1', 'ghs_2'].map((id) => ({ id, sealed: sealed(id), createdAt: new Date(1_000) }));
      const connection = connectionRecord({ secrets, token: sealed('token') });
      await store().insert(connection);
      const replace = (place: ConnectionSecret, from: string, to: string) =>
        store().replaceSealed(connection.id, place, { from: sealed(from), to: sealed(to) });
      assert.equal(await replace({ kind: 'secret', id: 'ghs_2' }, 'ghs_2', 'new'), true);
      assert.equal(await replace({ kind: 'secret', id: 'ghs_2' }, 'ghs_2', 'late'), false);
      assert.equal(await replace({ kind: 'secret', id: 'ghs_1' }, 'new', 'other'), false);
      assert.equal(await replace({ kind: 'token' }, 'token', 'newer'), true);
      assert.equal(await replace({ kind: 'token' }, 'token', 'late'), false);
      const kept = await store().find(connection.id);
      assert.deepEqual(
        [kept?.secrets.map((secret) => secret.sealed.sealed), kept?.token, kept?.revision],
        [['ghs_1', 'new'], sealed('newer'), 3],
      );
      assert.equal(await store().replace({ ...connection, paused: true }, 1), false);
      assert.equal(
        await store().replaceSealed('gcn_none', { kind: 'token' }, { from: sealed('a'), to: sealed('b') }),
        false,
      );
    });

    it('notes a problem of the token that has it, and forgets it with a new token', async () => {
      const token = { keyId: 'k', sealed: 'first' };
      const connection = connectionRecord({ token });
      const problem = { code: 'GIT_TOKEN_REFUSED', message: 'revoked', at: new Date(1_000) };
      await store().insert(connection);
      await store().setTokenProblem(connection.id, { keyId: 'k', sealed: 'older' }, problem);
      assert.equal((await store().find(connection.id))?.tokenProblem, null);
      await store().setTokenProblem(connection.id, token, problem);
      const noted = await store().find(connection.id);
      assert.deepEqual(noted?.tokenProblem, problem);
      await store().replace({ ...(noted ?? connection), paused: true }, 1);
      assert.deepEqual((await store().find(connection.id))?.tokenProblem, problem);
      const fresh = { ...connection, token: { keyId: 'k', sealed: 'second' }, tokenProblem: null };
      await store().replace(fresh, 2);
      assert.equal((await store().find(connection.id))?.tokenProblem, null);
    });

    it('lists those of an org, the newest first, page by page', async () => {
      const of = (org: string, at: number) => connectionRecord({ org, createdAt: new Date(at) });
      const records = [of('listed', 1_000), of('listed', 3_000), of('listed', 2_000), of('not-listed', 4_000)];
      for (const record of records) await store().insert(record);
      const first = await store().list({ org: 'listed' }, { cursor: null, limit: 2 });
      const second = await store().list({ org: 'listed' }, { cursor: first.nextCursor, limit: 2 });
      const ids = [...first.items, ...second.items].map(({ id }) => id);
      assert.deepEqual(ids, [records[1]?.id, records[2]?.id, records[0]?.id]);
      assert.equal(second.nextCursor, null);
    });

    it('removes one once', async () => {
      const connection = connectionRecord();
      await store().insert(connection);
      assert.deepEqual([await store().remove(connection.id), await store().remove(connection.id)], [true, false]);
      assert.equal(await store().insert(connection), true);
    });
  });
}

/** What every {@link GitDeliveryStore} guarantees. */
export function gitDeliveryStoreSuite(create: (now: Clock) => GitDeliveryStore): void {
  describe('GitDeliveryStore', () => {
    let time = Date.parse('2026-02-01T00:00:00.000Z');
    let store: GitDeliveryStore;
    before(() => {
      store = create(() => new Date(time));
    });

    it('keeps a delivery as it came first', async () => {
      const delivery = deliveryRecord({ receivedAt: new Date(time) });
      await store.insert(delivery);
      await store.insert({ ...delivery, login: 'eve' });
      assert.deepEqual(await store.find(delivery.id), delivery);
      assert.deepEqual(await store.findMany([delivery.id, 'gdl_none']), [delivery]);
      assert.equal(await store.find('gdl_none'), null);
    });

    it('adds outcomes once, however often it is told', async () => {
      const delivery = deliveryRecord({ receivedAt: new Date(time) });
      await store.insert(delivery);
      const main = outcome('unchanged', { ref: 'refs/heads/main' });
      const tag = outcome('deployed', { ref: 'refs/tags/v1', service: 'shop', environment: 'prod', buildId: 'bld_1' });
      await store.decide([delivery.id, 'gdl_none'], [main]);
      await store.decide([delivery.id], [main, tag]);
      const kept = await store.find(delivery.id);
      assert.deepEqual([kept?.state, kept?.outcomes], ['decided', [main, tag]]);
    });

    it('lists those of all connections that wait, between two times, the oldest first', async () => {
      const at = Date.parse('2025-11-01T00:00:00.000Z');
      const of = (ms: number) => deliveryRecord({ connectionId: `gcn_waiting_${ms}`, receivedAt: new Date(at + ms) });
      const [early, first, decided, second, late] = [of(0), of(10), of(11), of(12), of(20)];
      for (const record of [late, second, decided, first, early]) await store.insert(record);
      await store.decide([decided.id], [outcome('unchanged')]);
      const between = { from: new Date(at + 10), to: new Date(at + 20) };
      const idsOf = async (limit: number) => (await store.listWaiting(between, limit)).map(({ id }) => id);
      assert.deepEqual(await idsOf(10), [first.id, second.id]);
      assert.deepEqual(await idsOf(1), [first.id]);
    });

    it('lists those of a connection, the newest first, for thirty days', async () => {
      const of = (connectionId: string, at: number) => deliveryRecord({ connectionId, receivedAt: new Date(at) });
      const records = [
        of('gcn_list', time),
        of('gcn_list', time + 2),
        of('gcn_other', time + 3),
        of('gcn_list', time + 1),
      ];
      for (const record of records) await store.insert(record);
      const first = await store.list('gcn_list', { cursor: null, limit: 2 });
      const second = await store.list('gcn_list', { cursor: first.nextCursor, limit: 2 });
      assert.deepEqual(
        [...first.items, ...second.items].map(({ id }) => id),
        [records[1]?.id, records[3]?.id, records[0]?.id],
      );
      time += 31 * DAY_MS;
      assert.deepEqual((await store.list('gcn_list', ALL)).items, []);
    });

    /** Keeps a delivery of its own with the digest; whether it was seen already, by the reply and as it is kept. */
    async function isSeen(connectionId: string, digest: string): Promise<boolean> {
      const { alreadySeen: _, ...unseen } = deliveryRecord({ connectionId, receivedAt: new Date(time) });
      const kept = await store.insertSigned(unseen, digest);
      assert.deepEqual(await store.find(unseen.id), kept);
      assert.deepEqual(kept, { ...unseen, alreadySeen: kept.alreadySeen });
      return kept.alreadySeen;
    }

    it('knows a digest of a connection for seven days, and the first of many at once', async () => {
      const seen = await Promise.all(Array.from({ length: 5 }, () => isSeen('gcn_digest', 'd1')));
      assert.deepEqual(seen.toSorted(), [false, true, true, true, true]);
      assert.equal(await isSeen('gcn_other', 'd1'), false);
      time += 7 * DAY_MS - 1_000;
      assert.equal(await isSeen('gcn_digest', 'd1'), true);
      time += 1_000;
      const later = await Promise.all(Array.from({ length: 5 }, () => isSeen('gcn_digest', 'd1')));
      assert.deepEqual(later.toSorted(), [false, true, true, true, true]);
      assert.equal((await store.list('gcn_digest', ALL)).items.length, 11);
    });

    it('forgets all of a connection', async () => {
      const delivery = deliveryRecord({ connectionId: 'gcn_gone', receivedAt: new Date(time) });
      await store.insert(delivery);
      await isSeen('gcn_gone', 'd1');
      await store.removeAll('gcn_gone');
      assert.equal(await store.find(delivery.id), null);
      assert.equal(await isSeen('gcn_gone', 'd1'), false);
    });
  });
}

/** What every {@link HeadStore} guarantees. */
export function headStoreSuite(store: () => HeadStore): void {
  describe('HeadStore', () => {
    const key = { connectionId: 'gcn_heads', serviceId: 'svc_1', environment: 'prod', ref: 'refs/heads/main' } as const;

    it('keeps the head that was built while later ones are only seen', async () => {
      assert.equal(await store().find(key), null);
      await store().set(key, { seen: 'a' });
      assert.deepEqual(await read(), { seen: 'a', built: null });
      await store().set(key, { seen: 'b', built: 'b' });
      await store().set(key, { seen: 'c' });
      assert.deepEqual(await read(), { seen: 'c', built: 'b' });
    });

    it('notes a head over the one that was seen when it was decided, and over no later one', async () => {
      const own = { ...key, ref: 'refs/heads/decided' };
      const now = async () => {
        const found = await store().find(own);
        return [found?.seen, found?.built];
      };
      await store().set(own, { seen: 'a', built: 'a' }, null);
      await store().set(own, { seen: 'late', built: 'late' }, null);
      assert.deepEqual(await now(), ['a', 'a']);
      await store().set(own, { seen: 'b' }, 'a');
      await store().set(own, { seen: 'late', built: 'late' }, 'a');
      assert.deepEqual(await now(), ['b', 'a']);
      await store().set({ ...own, ref: 'refs/heads/none' }, { seen: 'late' }, 'a');
      assert.equal(await store().find({ ...own, ref: 'refs/heads/none' }), null);
      await store().set(own, { seen: 'c', built: 'c' });
      assert.deepEqual(await now(), ['c', 'c']);
      await store().removeAll(key.connectionId);
      await store().set(key, { seen: 'c', built: 'b' });
    });

    it('tells services, environments and refs apart, and forgets all of a connection', async () => {
      for (const other of [{ serviceId: 'svc_2' }, { environment: 'uat' }, { ref: 'refs/tags/v1' }] as const) {
        assert.equal(await store().find({ ...key, ...other }), null);
        await store().set({ ...key, ...other }, { seen: 'z' });
      }
      assert.equal((await store().list(key.connectionId)).length, 4);
      await store().removeAll(key.connectionId);
      assert.deepEqual(await store().list(key.connectionId), []);
    });

    const read = async () => {
      const found = await store().find(key);
      return found === null ? null : { seen: found.seen, built: found.built };
    };
  });
}
