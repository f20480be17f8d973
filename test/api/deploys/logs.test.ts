import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createParser } from 'eventsource-parser';
import { FairleadError } from '../../../domain/errors.ts';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord, stepOf } from '../../ports/records.ts';
import { followEvents } from '../../support/follow-events.ts';
import { KEY, startApi, type TestApi } from '../../support/start-api.ts';
import { createStoredBuilderParts } from '../../support/stored-builder-parts.ts';

/** On the real store: a follower meets the log as its writers leave it. */
let api: TestApi;
before(async () => {
  api = await startApi(null, null, await createStoredBuilderParts());
});
after(() => api.stop());

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: { text?: string; status?: string; steps?: readonly { key: string; state: string }[] };
}

/** Follows a log until `enough` says so, or to the end of the stream. */
async function follow(
  path: string,
  options: { headers?: Record<string, string>; enough?: (events: readonly Event[]) => boolean } = {},
): Promise<{ events: Event[]; closed: boolean }> {
  const abort = new AbortController();
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ event = '', id, data }) => events.push({ event, id, data: JSON.parse(data) }),
  });
  const response = await fetch(api.address + path, {
    headers: { 'x-internal-key': KEY, accept: 'text/event-stream', ...options.headers },
    signal: AbortSignal.any([abort.signal, AbortSignal.timeout(20_000)]),
  });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    parser.feed(chunk);
    if (options.enough?.(events)) {
      abort.abort();
      return { events, closed: false };
    }
  }
  return { events, closed: true };
}

const end = (id: string) =>
  api.builds.finish(id, {
    status: 'failed',
    reason: 'cancelled',
    failure: null,
    supersededBy: null,
    finishedAt: new Date(),
  });

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => logLine(`line ${from + index}`));

const texts = (events: readonly Event[]) => events.filter((row) => row.event === 'line').map((row) => row.data.text);

it('each page of the log begins after the last line of the previous one, and says when the log is complete', async () => {
  await api.builds.create(buildRecord({ id: 'bld_pages' }));
  await api.log.append('bld_pages', lines(1, 5));
  const first = await api.call('GET', '/builds/bld_pages/logs?limit=3');
  assert.deepEqual([first.body.data.nextAfter, first.body.data.complete], [3, false]);
  assert.equal(first.body.data.items[0].text, 'line 1');
  await end('bld_pages');
  const rest = await api.call('GET', '/builds/bld_pages/logs?after=3');
  assert.deepEqual([rest.body.data.items.length, rest.body.data.complete, rest.body.data.status], [2, true, 'failed']);
  assert.equal((await api.call('GET', '/builds/bld_none/logs')).status, 404);
});

it('pages go backward from a line as well, and find lines by what they show', async () => {
  await api.builds.create(buildRecord({ id: 'bld_back' }));
  await api.log.append('bld_back', [...lines(1, 9), logLine('\u001b[31mERR\u001b[0mor: no')]);
  const shown = async (query: string) => {
    const { data } = (await api.call('GET', `/builds/bld_back/logs?${query}`)).body;
    return [data.items.map(({ seq }: { seq: number }) => seq), data.nextAfter, data.complete];
  };
  assert.deepEqual(await shown('before=9007199254740991&limit=2'), [[9, 10], 10, false]);
  assert.deepEqual(await shown('before=9&limit=3'), [[6, 7, 8], 8, false]);
  assert.deepEqual(await shown('before=1'), [[], 0, false]);
  assert.deepEqual(await shown('contains=error'), [[10], 10, false]);
  assert.deepEqual(await shown('contains=LINE&limit=2'), [[1, 2], 2, false]);
  assert.deepEqual(await shown('contains=LINE&limit=2&after=2'), [[3, 4], 4, false]);
  assert.deepEqual(await shown('contains=31m'), [[], 10, false]);
  await end('bld_back');
  assert.deepEqual(await shown('contains=nowhere'), [[], 10, true]);
  for (const wrong of [
    'before=3&after=1',
    'before=3&contains=x',
    'contains=',
    `contains=${'x'.repeat(201)}`,
    'steps=1',
  ]) {
    assert.equal((await api.call('GET', `/builds/bld_back/logs?${wrong}`)).status, 400, wrong);
  }
  const sse = { accept: 'text/event-stream' };
  for (const wrong of ['before=3', 'contains=x']) {
    assert.equal((await api.call('GET', `/builds/bld_back/logs?${wrong}`, undefined, sse)).status, 400, wrong);
  }
});

it('a search looks at a bounded part of a log, and goes on from there', async () => {
  await api.builds.create(buildRecord({ id: 'bld_long' }));
  for (let from = 1; from <= 10_001; from += 2_000)
    await api.log.append('bld_long', lines(from, Math.min(from + 1_999, 10_001)));
  const first = (await api.call('GET', '/builds/bld_long/logs?contains=line 10001')).body.data;
  assert.deepEqual([first.items, first.nextAfter], [[], 10_000]);
  const second = (await api.call('GET', '/builds/bld_long/logs?contains=line 10001&after=10000')).body.data;
  assert.deepEqual([second.items.length, second.nextAfter], [1, 10_001]);
});

it('a follower who asks for the steps is told them at first and whenever one changes', async () => {
  await api.builds.create(buildRecord({ id: 'bld_steps' }));
  const statesIn = (events: readonly Event[]) =>
    events.flatMap(({ data }) => data.steps?.find(({ key }) => key === 'source')?.state ?? []);
  let told = 0;
  const { events, closed } = await follow('/builds/bld_steps/logs?steps=true', {
    enough: (all) => {
      const count = statesIn(all).length;
      if (count > told && count === 1) void api.builds.markStep('bld_steps', stepOf('source'), { state: 'running' });
      if (count > told && count === 2) void end('bld_steps');
      told = count;
      return false;
    },
  });
  assert.equal(closed, true);
  assert.deepEqual(statesIn(events), ['pending', 'running', 'cancelled']);
  assert.equal(events.at(-1)?.event, 'end');
});

it('a follower gets every line, each status and the end, then the stream closes', async () => {
  await api.builds.create(buildRecord({ id: 'bld_live' }));
  await api.log.append('bld_live', lines(1, 2));
  const stages: string[] = [];
  const following = follow('/builds/bld_live/logs', {
    enough: (events) => {
      const last = events.at(-1);
      if (last?.data.text === 'line 2' && !stages.includes('cloning')) {
        stages.push('cloning');
        void api.builds.markStep('bld_live', stepOf('source'), { state: 'running' });
      } else if (last?.data.status === 'cloning' && !stages.includes('end')) {
        stages.push('end');
        void api.log.append('bld_live', lines(3, 700)).then(() => end('bld_live'));
      }
      return false;
    },
  });
  const { events, closed } = await following;
  assert.equal(closed, true);
  assert.equal(texts(events).length, 700);
  assert.deepEqual(
    events.filter((row) => row.event !== 'line').map((row) => [row.event, row.data.status]),
    [
      ['status', 'queued'],
      ['status', 'cloning'],
      ['status', 'failed'],
      ['end', 'failed'],
    ],
  );
  assert.equal(events.find((row) => row.data.text === 'line 9')?.id, '9');
});

it('a follower resumes after the last event it saw, without missing or repeating a line', async () => {
  await api.builds.create(buildRecord({ id: 'bld_resume' }));
  await api.log.append('bld_resume', lines(1, 10));
  const first = await follow('/builds/bld_resume/logs', { enough: (events) => texts(events).length >= 4 });
  const seen = first.events.filter((row) => row.event === 'line').slice(0, 4);
  await api.log.append('bld_resume', lines(11, 12));
  await end('bld_resume');
  const headers = { 'last-event-id': seen.at(-1)?.id ?? '' };
  const second = await follow('/builds/bld_resume/logs', { headers });
  assert.deepEqual(
    [...texts(seen), ...texts(second.events)],
    lines(1, 12).map((line) => line.text),
  );
  const third = await follow('/builds/bld_resume/logs?after=11');
  assert.deepEqual(texts(third.events), ['line 12']);
  const wrong = await api.call('GET', '/builds/bld_resume/logs', undefined, {
    accept: 'text/event-stream',
    'last-event-id': 'x',
  });
  assert.equal(wrong.status, 400);
});

it('of those who follow a build, the one whose org loses access is let go, and the others go on', async () => {
  const service = { id: 'svc_shared', name: 'shared', org: 'acme' };
  await api.services.upsert(service, {});
  await api.authorize(service.id, ['other']);
  await api.builds.create(buildRecord({ id: 'bld_shared', serviceId: service.id, service: 'shared', org: 'acme' }));
  await api.log.append('bld_shared', lines(1, 1));
  const as = (user: string) => followEvents(`${api.address}/builds/bld_shared/logs`, { 'x-test-user': user });
  const [owner, guest] = [as('acme/member'), as('other/member')];
  await Promise.all([owner.until(1), guest.until(1)]);
  await api.authorize(service.id, []);
  assert.equal(await guest.done, 'ended');
  await api.log.append('bld_shared', lines(2, 2));
  await end('bld_shared');
  assert.equal(await owner.done, 'ended');
  assert.deepEqual([owner.texts(), owner.events.at(-1)], [['line 1', 'line 2'], 'end']);
  assert.deepEqual([guest.texts(), guest.events.includes('end')], [['line 1'], false]);
});

it('when the log cannot be read, all who follow it are let go, and each resumes without missing or repeating a line', async () => {
  const parts = await createStoredBuilderParts();
  const fault = { isOn: false };
  const read: typeof parts.log.read = async (...of) => {
    if (fault.isOn) throw new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true });
    return await parts.log.read(...of);
  };
  const other = await startApi(null, null, { ...parts, log: { ...parts.log, read } });
  try {
    await other.builds.create(buildRecord({ id: 'bld_fault' }));
    await other.log.append('bld_fault', lines(1, 3));
    const url = `${other.address}/builds/bld_fault/logs`;
    const before = Array.from({ length: 5 }, () => followEvents(url));
    await Promise.all(before.map(({ until }) => until(3)));
    fault.isOn = true;
    assert.deepEqual(new Set(await Promise.all(before.map(({ done }) => done))), new Set(['cut']));
    fault.isOn = false;
    await other.log.append('bld_fault', lines(4, 6));
    const resumed = before.map(({ lines: [, , third] }) => followEvents(url, { 'last-event-id': third?.id ?? '' }));
    await Promise.all(resumed.map(({ until }) => until(3)));
    for (const { texts: seen } of resumed) assert.deepEqual(seen(), ['line 4', 'line 5', 'line 6']);
    for (const { stop } of resumed) await stop();
  } finally {
    await other.stop();
  }
});

it('a server that stops ends its streams, so that a follower can go on elsewhere', async () => {
  const other = await startApi(null, null, await createStoredBuilderParts());
  await other.builds.create(buildRecord({ id: 'bld_drain' }));
  const response = await fetch(`${other.address}/builds/bld_drain/logs`, {
    headers: { 'x-internal-key': KEY, accept: 'text/event-stream' },
  });
  const [text] = await Promise.all([response.text(), other.stop()]);
  assert.ok(!text.includes('event: end'));
});
