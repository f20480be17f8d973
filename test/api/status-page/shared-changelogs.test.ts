import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readChangelogs } from '../../../api/status-page/read-changelogs.ts';
import { createSharedChangelogs } from '../../../api/status-page/shared-changelogs.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { ChangelogSource } from '../../../domain/status-page/ports.ts';
import { changelogOf, startStatusPage } from '../../support/start-status-page.ts';

const away = new FairleadError('UNAVAILABLE', 'The registry is away');

/** A registry that notes what it is asked for. */
function registry(find: (service: string) => ReturnType<ChangelogSource['find']>) {
  const asked: string[] = [];
  const source: ChangelogSource = {
    find: (service) => {
      asked.push(service);
      return find(service);
    },
  };
  return { asked, source };
}

async function startWith(t: TestContext, find: Parameters<typeof registry>[0]) {
  const clock = { ms: 0 };
  const { asked, source } = registry(find);
  const api = await startStatusPage(t, { changes: { changelogs: source, monotonicMs: () => clock.ms } });
  const statusOf = async (service: string) => (await api.get(`/changelog/${service}`)).status;
  return { ...api, asked, clock, statusOf };
}

describe('the changelog of a service', () => {
  it('is asked for only where a page shows the service', async (t) => {
    const api = await startWith(t, async (service) => changelogOf(service));
    await api.register('shop', { org: 'acme', url: 'https://shop.com/' });
    await api.register('outside', { unmanaged: true });
    await api.register('hidden', { environment: 'uat' });
    for (const service of ['outside', 'hidden', 'invented']) assert.equal(await api.statusOf(service), 404);
    assert.deepEqual(api.asked, []);
    assert.equal(await api.statusOf('shop'), 200);
    assert.deepEqual(api.asked, ['shop']);
  });

  it('is read once for all pages and visitors within half a minute, and so is that there is none', async (t) => {
    const api = await startWith(t, async (service) => (service === 'shop' ? changelogOf(service) : null));
    for (const service of ['shop', 'mail']) await api.register(service);
    const look = async () => [(await api.get('/')).status, await api.statusOf('shop'), await api.statusOf('mail')];
    for (const ms of [0, 6_000, 12_000, 29_000]) {
      api.clock.ms = ms;
      assert.deepEqual(await look(), [200, 200, 404]);
    }
    assert.deepEqual(api.asked.toSorted(), ['mail', 'shop']);
    api.clock.ms = 35_000;
    await look();
    assert.deepEqual(api.asked.toSorted(), ['mail', 'mail', 'shop', 'shop']);
  });

  it('is left alone for some seconds when the registry does not answer', async (t) => {
    const api = await startWith(t, () => Promise.reject(away));
    await api.register('shop');
    for (let visit = 0; visit < 5; visit += 1) assert.equal(await api.statusOf('shop'), 503);
    assert.deepEqual(api.asked, ['shop']);
    api.clock.ms = 5_000;
    assert.equal(await api.statusOf('shop'), 503);
    assert.equal(api.asked.length, 2);
  });

  it('is read of eight services at once at the most', async () => {
    const answered = Promise.withResolvers<null>();
    const { asked, source } = registry(() => answered.promise);
    const find = createSharedChangelogs({ changelogs: source });
    const reads = Promise.all(Array.from({ length: 20 }, (_, index) => find(`service-${index}`)));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(asked.length, 8);
    answered.resolve(null);
    await reads;
    assert.equal(asked.length, 20);
  });

  it('that comes too late for a page is there for the next one', async () => {
    const answered = Promise.withResolvers<ReturnType<typeof changelogOf>>();
    const { asked, source } = registry(() => answered.promise);
    const find = createSharedChangelogs({ changelogs: source });
    assert.equal(await readChangelogs(find, ['shop'], 5), null);
    answered.resolve(changelogOf('shop'));
    assert.deepEqual(
      (await readChangelogs(find, ['shop'], 60_000))?.map(({ service }) => service),
      ['shop'],
    );
    assert.deepEqual(asked, ['shop']);
  });
});
