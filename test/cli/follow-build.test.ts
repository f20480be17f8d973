import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createApiClient } from '../../cli/api-client.ts';
import { type BuildEvent, followBuild } from '../../cli/follow-build.ts';
import { setClockAhead } from '../support/move-clocks.ts';
import { KEY, startTestApi, type TestApi } from './test-api.ts';

describe('following a build', () => {
  let api: TestApi;
  let stopped = false;
  before(async () => {
    api = await startTestApi();
  });
  after(async () => {
    if (!stopped) await api.stop();
  });
  afterEach(async () => {
    if (stopped) await api.start();
    stopped = false;
  });

  const client = () => createApiClient({ api: api.url, credential: null }, async () => ({ 'x-internal-key': KEY }));
  const signal = new AbortController().signal;

  it('hands out each line once, in order, and ends with the build', async () => {
    api.addBuild('bld_1');
    for (const text of ['a', 'b', 'c']) api.log('bld_1', 'source', text);
    api.finish('bld_1', { status: 'completed' });
    const seen: string[] = [];
    for await (const event of followBuild(client(), 'bld_1', { after: 1, signal })) {
      seen.push(event.type === 'line' ? event.line.text : event.type);
    }
    assert.deepEqual(seen, ['b', 'c', 'end']);
  });

  it('gives up when the API stays away longer than the patience', async () => {
    api.addBuild('bld_2');
    api.log('bld_2', 'source', 'a');
    const seen: BuildEvent['type'][] = [];
    const follow = async (): Promise<void> => {
      for await (const event of followBuild(client(), 'bld_2', { signal, patienceMs: 300 })) {
        seen.push(event.type);
        if (event.type !== 'line') continue;
        await api.stop();
        stopped = true;
      }
    };
    await assert.rejects(follow(), { code: 'UNREACHABLE', exit: 'unreachable', remedy: /fairlead logs -f bld_2/ });
    assert.deepEqual(seen, ['line', 'lost']);
  });

  it('stops at once when its signal aborts, with the reason of the signal', async () => {
    api.addBuild('bld_3');
    api.log('bld_3', 'source', 'a');
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const event of followBuild(client(), 'bld_3', { signal: stop.signal })) {
        if (event.type === 'line') stop.abort(new Error('enough'));
      }
    };
    await assert.rejects(follow(), /enough/);
  });

  it('a refusal is reported at once, and not retried as a lost connection', async () => {
    const follow = async (): Promise<void> => {
      for await (const event of followBuild(client(), 'bld_404', { signal })) assert.fail(event.type);
    };
    await assert.rejects(follow(), { code: 'NOT_FOUND', exit: 'notFound' });
  });

  it('waits while the API is overloaded, and then continues', async () => {
    api.addBuild('bld_5');
    const busy = { status: 503, error: { code: 'UNAVAILABLE', message: 'Starting.' } };
    api.answers.set('GET /builds/bld_5/logs', busy);
    const seen: BuildEvent['type'][] = [];
    for await (const event of followBuild(client(), 'bld_5', { signal })) {
      seen.push(event.type);
      if (event.type !== 'lost') continue;
      api.answers.clear();
      api.finish('bld_5', { status: 'completed' });
    }
    assert.deepEqual(seen, ['lost', 'back', 'end']);
  });

  it('the clock of this machine set ahead ends no wait for the API', async (t) => {
    api.addBuild('bld_6');
    api.answers.set('GET /builds/bld_6/logs', {
      status: 503,
      error: { code: 'UNAVAILABLE', message: 'Starting.' },
    });
    const seen: BuildEvent['type'][] = [];
    for await (const event of followBuild(client(), 'bld_6', { signal })) {
      seen.push(event.type);
      if (event.type !== 'lost') continue;
      setClockAhead(t.mock);
      api.answers.clear();
      api.finish('bld_6', { status: 'completed' });
    }
    assert.deepEqual(seen, ['lost', 'back', 'end']);
  });
});
