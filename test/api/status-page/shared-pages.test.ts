import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Incident } from '../../../domain/incidents/incident.ts';
import { createMonitorHistory } from '../../../domain/monitors/read-history.ts';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';
import { createMemoryRollUps } from '../../support/in-memory/monitor-history.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { startStatusPage } from '../../support/start-status-page.ts';

/** The functions of a port, and how often each was called. */
function counted<T extends object>(port: T): { readonly port: T; readonly calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const proxy = new Proxy(port, {
    get(target, name, receiver) {
      const found = Reflect.get(target, name, receiver);
      if (typeof found !== 'function') return found;
      return (...given: unknown[]) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return found.apply(target, given);
      };
    },
  });
  return { port: proxy, calls };
}

/** As much as people may write of an incident. */
function longIncident(index: number, changes: Partial<Incident> = {}): Incident {
  const at = new Date(Date.now() - index * 60_000);
  const updates = Array.from({ length: 100 }, (_, step) => ({
    ...({ at: new Date(at.getTime() + step), status: 'identified', by: 'usr_ada' } as const),
    body: `${step} `.padEnd(2_000, 'ä'),
  }));
  const facts = { id: `inc_${index}`, org: 'platform', monitorId: null, sequence: null, title: 't'.repeat(200) };
  return incidentRecord({ ...facts, startedAt: at, updates, ...changes });
}

describe('what the public reads', () => {
  it('is made once for all who ask within some seconds: documents, badges, pages and their refusals', async (t) => {
    const clock = { ms: 0 };
    const [monitors, incidents] = [counted(createMemoryMonitors()), counted(createMemoryIncidents())];
    const changes = { monitors: monitors.port, incidents: incidents.port, monotonicMs: () => clock.ms };
    let now = new Date();
    const api = await startStatusPage(t, { changes, now: () => now });
    const id = await api.register('shop');
    // Each answer says of when it is: so often one was written.
    let written = 0;
    now = Object.assign(new Date(now), {
      toISOString: () => {
        written += 1;
        return Date.prototype.toISOString.call(now);
      },
    });
    const paths = [
      '/',
      '/api/pulse/status',
      '/api/v2/incidents.json',
      '/api/v2/summary.json',
      `/badges/${id}/uptime.svg`,
      `/badges/${id}/state.svg`,
      '/status/nobody',
      '/status/nobody/api/v2/status.json',
      '/badges/mon_none/state.svg',
      '/?page=9',
    ];
    const readAll = () => Promise.all(paths.map(async (path) => (await api.get(path)).status));
    const first = await readAll();
    assert.deepEqual(first, [200, 200, 200, 200, 200, 200, 404, 404, 404, 404]);
    const work = () => JSON.stringify([monitors.calls, incidents.calls, written]);
    const known = work();
    for (let turn = 0; turn < 3; turn += 1) assert.deepEqual(await readAll(), first);
    assert.equal(work(), known);
    clock.ms = 5_000;
    assert.deepEqual(await readAll(), first);
    assert.notEqual(work(), known);
  });

  it('stays when somebody asks for pages and orgs that are not there', async (t) => {
    const history = counted(createMonitorHistory({ rollUps: createMemoryRollUps() }));
    const api = await startStatusPage(t, { changes: { history: history.port, monotonicMs: () => 0 } });
    await api.register('shop', { org: 'acme' });
    const askForNone = (path: (index: number) => [string, number]) =>
      Promise.allSettled(Array.from({ length: 250 }, (_, index) => api.reader.page(...path(index))));
    assert.equal((await api.get('/status/acme')).status, 200);
    const drawn = { ...history.calls };
    await askForNone((index) => [`org-${index}`, 1]);
    assert.equal((await api.get('/status/acme')).status, 200);
    await askForNone((index) => ['acme', index + 2]);
    assert.equal((await api.get('/status/acme')).status, 200);
    assert.deepEqual(history.calls, drawn);
  });

  it('has the newest three updates of an incident, each cut, and reads no more of them', async (t) => {
    const incidents = createMemoryIncidents();
    const read: number[] = [];
    const list: typeof incidents.list = async (...given) => {
      const page = await incidents.list(...given);
      read.push(...page.items.map(({ updates }) => updates.length));
      return page;
    };
    const api = await startStatusPage(t, { changes: { incidents: { ...incidents, list } } });
    for (let index = 0; index < 40; index += 1) {
      const resolved = { state: 'resolved', resolvedAt: new Date() } as const;
      await incidents.put(longIncident(index, index < 20 ? {} : resolved));
    }
    const { body, text } = await api.get('/api/v2/incidents.json');
    assert.equal(body.incidents.length, 40);
    const [{ incident_updates: updates }] = body.incidents;
    assert.deepEqual(
      updates.map(({ body: words }: { body: string }) => [words.slice(0, 3), words.length]),
      [
        ['99 ', 300],
        ['98 ', 300],
        ['97 ', 300],
      ],
    );
    assert.equal(new Set(updates.map(({ id }: { id: string }) => id)).size, 3);
    assert.ok(Buffer.byteLength(text) < 300_000, `${Buffer.byteLength(text)} bytes`);
    assert.ok(read.length > 0 && read.every((count) => count <= 3));
  });

  it('answers links that carry fields of their own', async (t) => {
    const api = await startStatusPage(t);
    const id = await api.register('shop');
    for (const path of ['/?utm_source=mail&page=1', '/api/v2/status.json?cb=1', `/badges/${id}/state.svg?style=flat`]) {
      assert.equal((await api.get(path)).status, 200, path);
    }
    assert.equal((await api.get('/changelog/none?utm_source=mail')).status, 404);
    assert.equal((await api.get('/?page=none')).status, 400);
  });
});

describe('the names of components', () => {
  const namesOf = async (api: Awaited<ReturnType<typeof startStatusPage>>): Promise<string[]> =>
    (await api.get('/api/pulse/status')).body.data.monitors.map(({ name }: { name: string }) => name);

  it('are custom domains of services that are deployed here, whatever those are called', async (t) => {
    const api = await startStatusPage(t);
    await api.register('manual', { url: 'https://manual.com/' });
    await api.register('shop', { url: 'https://shop.com/' });
    await api.register('shop');
    assert.deepEqual(await namesOf(api), ['manual.com', 'shop', 'shop.com']);
  });

  it('are no addresses of what is not deployed here, and that is shown when somebody says so', async (t) => {
    const api = await startStatusPage(t);
    const id = await api.register('erp', { url: 'http://erp.internal.corp:8443/', unmanaged: true });
    assert.equal((await api.monitors.find(id))?.isPublic, false);
    await api.call('PATCH', `/api/monitors/${id}`, { isPublic: true });
    assert.deepEqual(await namesOf(api), ['erp']);
    for (const path of ['/', '/api/v2/summary.json', `/badges/${id}/state.svg`]) {
      assert.ok(!(await api.get(path)).text.includes('internal.corp'), path);
    }
  });
});
