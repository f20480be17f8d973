import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { OpenServiceLog, ServiceLogTarget } from '../../../domain/logs/service-log.ts';
import { releaseRecord } from '../../ports/records.ts';
import { linesOf, serviceLogLine } from '../../ports/service-logs.ts';
import { type FollowedLine, followEvents } from '../../support/follow-events.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { KEY, startApi, type TestApi } from '../../support/start-api.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** On real files, as the worker leaves them. */
let api: TestApi;
let folder: string;
let writer: { open(target: ServiceLogTarget): Promise<OpenServiceLog> };
const opened: OpenServiceLog[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-service-logs-'));
  const serviceLogs = createServiceLogs({ directory: folder, limits: { fileBytes: 40_000 } });
  api = await startApi(null, null, { ...createInMemoryBuilderParts(), serviceLogs });
  writer = await api.serviceLogs.takeOver();
});
after(async () => {
  for (const log of opened) await log.close();
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

async function logOf(name: string): Promise<OpenServiceLog> {
  await api.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, {});
  const log = await writer.open({ serviceId: `svc_${name}`, environment: 'prod' });
  opened.push(log);
  return log;
}

const follow = (path: string, headers: Record<string, string> = {}) => followEvents(api.address + path, headers);

it('shows the last lines of an environment, of one stream or with a text, and whether a release serves', async () => {
  const log = await logOf('shows');
  const none = await api.call('GET', '/services/shows/logs');
  assert.deepEqual(none.body.data, { environment: 'prod', items: [], truncated: false, live: false });
  await log.append([...linesOf(1, 5), serviceLogLine('oh no', { stream: 'error' })]);
  await api.releases.put(releaseRecord({ id: 'rel_s', service: 'shows', serviceId: 'svc_shows', environment: 'prod' }));
  await api.releases.activate('rel_s', { at: new Date(), epoch: 1, buildId: 'bld_s' });
  const shown = async (query: string) => {
    const { data } = (await api.call('GET', `/services/shows/logs?${query}`)).body;
    return { ...data, items: data.items.map(({ text }: FollowedLine) => text) };
  };
  assert.deepEqual(await shown('lines=2'), {
    ...{ environment: 'prod', items: ['line 5', 'oh no'], truncated: true, live: true },
  });
  assert.deepEqual((await shown('stream=error')).items, ['oh no']);
  assert.deepEqual((await shown('contains=NE 3')).items, ['line 3']);
  assert.deepEqual((await shown('environment=uat')).items, []);
  assert.deepEqual([(await shown('env=uat')).items, (await shown('env=prod')).items.length], [[], 6]);
  for (const wrong of [
    'lines=0',
    'lines=1001',
    'stream=both',
    'contains=',
    `contains=${'x'.repeat(201)}`,
    'level=info',
    'since=yesterday',
    'until=2026-01-01',
    'env=prod&environment=uat',
    'release=',
  ]) {
    assert.equal((await api.call('GET', `/services/shows/logs?${wrong}`)).status, 400, wrong);
  }
});

it('shows the lines of a release, of a level and graver ones, from a time on and before one', async () => {
  const log = await logOf('filters');
  const json = (level: string) => serviceLogLine(JSON.stringify({ level, msg: level }), { release: 'rel_2' });
  const lines = [
    ...linesOf(1, 2),
    serviceLogLine('a stack', { stream: 'error' }),
    ...['info', 'warn', 'error', 'fatal'].map(json),
    serviceLogLine('3 lines were dropped', { dropped: 3, release: 'rel_2' }),
  ];
  await log.append(lines);
  const shown = async (query: Record<string, string>): Promise<unknown[]> => {
    const { data } = (await api.call('GET', `/services/filters/logs?${new URLSearchParams(query)}`)).body;
    return data.items.map(({ text, level, dropped }: Record<string, unknown>) => {
      return level === null || dropped !== undefined ? text : level;
    });
  };
  const dropped = '3 lines were dropped';
  assert.deepEqual(await shown({}), ['line 1', 'line 2', 'error', 'info', 'warn', 'error', 'fatal', dropped]);
  assert.deepEqual(await shown({ level: 'warn' }), ['error', 'warn', 'error', 'fatal', dropped]);
  assert.deepEqual(await shown({ level: 'error' }), ['error', 'error', 'fatal', dropped]);
  assert.deepEqual(await shown({ level: 'error', contains: 'FATAL' }), ['fatal', dropped]);
  assert.deepEqual(await shown({ release: 'rel_1' }), ['line 1', 'line 2', 'error']);
  assert.deepEqual(await shown({ release: 'rel_2', level: 'error' }), ['error', 'fatal', dropped]);
  const [since, until] = [lines[1]?.at ?? '', lines[4]?.at ?? ''];
  assert.deepEqual(await shown({ since, until }), ['line 2', 'error', 'info']);
  assert.deepEqual(await shown({ until, lines: '1' }), ['info']);
  assert.deepEqual(await shown({ since: '2026-01-01T02:00:00+02:00', until: '2026-01-01T00:00:00Z' }), []);
  const events = { accept: 'text/event-stream' };
  assert.equal((await api.call('GET', `/services/filters/logs?until=${until}`, undefined, events)).status, 400);
  const follower = follow(`/services/filters/logs?level=error&release=rel_2&since=${lines[6]?.at}`);
  await follower.until(2);
  await log.append([json('warn'), json('error'), serviceLogLine('of another release', { stream: 'error' })]);
  await follower.until(3);
  await follower.stop();
  assert.equal(follower.lines.length, 3);
});

it('what a service prints is no event of its own, whatever it looks like', async () => {
  const log = await logOf('forges');
  const forged = ['id: 7:7', 'event: gap', 'data: {"text":"forged"}', '', ': comment', 'retry: 1', '\u2028data: x'];
  const follower = follow('/services/forges/logs');
  await log.append([serviceLogLine(forged.join('\n')), ...forged.map((text) => serviceLogLine(text))]);
  await follower.until(8);
  await follower.stop();
  assert.deepEqual(follower.texts(), [forged.join('\n'), ...forged]);
  assert.deepEqual(new Set(follower.events), new Set(['line']));
  assert.ok(follower.lines.every(({ id }) => /^1:\d+$/.test(id)));
});

it('is for members of the orgs that may use the service: others hear that there is none, viewers that they may not', async () => {
  const log = await logOf('private');
  await log.append(linesOf(1, 1));
  for (const accept of ['application/json', 'text/event-stream']) {
    const as = async (user: string) =>
      (await api.call('GET', '/services/private/logs', undefined, { 'x-test-user': user, accept })).status;
    assert.deepEqual([await as('acme/viewer'), await as('other/admin')], [403, 404]);
  }
  const member = await api.call('GET', '/services/private/logs', undefined, { 'x-test-user': 'acme/member' });
  assert.equal(member.body.data.items.length, 1);
});

it('redacts by pattern again what is read, and nothing can be found by what is redacted', async () => {
  const log = await logOf('redacts');
  await log.append([serviceLogLine('PASSWORD=hunter2 is written by somebody else')]);
  const { text } = await api.call('GET', '/services/redacts/logs');
  assert.ok(text.includes('PASSWORD=[REDACTED]') && !text.includes('hunter2'));
  const probed = await api.call('GET', '/services/redacts/logs?contains=hunter2');
  assert.deepEqual(probed.body.data.items, []);
  const followed = follow('/services/redacts/logs?contains=PASSWORD');
  await followed.until(1);
  await followed.stop();
  assert.deepEqual(followed.texts(), ['PASSWORD=[REDACTED] is written by somebody else']);
});

it('a follower gets the last lines, then each line as it is written, and resumes by the id of the last one it has', async () => {
  const log = await logOf('follows');
  await log.append(linesOf(1, 5));
  const first = follow('/services/follows/logs?lines=2');
  await first.until(2);
  await log.append([serviceLogLine('line 6', { release: 'rel_2' })]);
  await first.until(3);
  await first.stop();
  assert.deepEqual(first.texts(), ['line 4', 'line 5', 'line 6']);
  assert.equal(first.lines[2]?.release, 'rel_2');
  await log.append(linesOf(7, 8));
  for (const [at, { id }] of first.lines.entries()) {
    const again = follow('/services/follows/logs', { 'last-event-id': id });
    await again.until(4 - at);
    await again.stop();
    assert.deepEqual(again.texts(), ['line 5', 'line 6', 'line 7', 'line 8'].slice(at));
  }
  const wrong = { accept: 'text/event-stream', 'last-event-id': '../1:2' };
  assert.equal((await api.call('GET', '/services/follows/logs', undefined, wrong)).status, 400);
});

it('20 followers of a log that is rotated while they read get every line once', async () => {
  const log = await logOf('many');
  const followers = Array.from({ length: 20 }, () => follow('/services/many/logs'));
  const quiet = follow('/services/many/logs?contains=end');
  for (let at = 0; at < 24; at += 1) {
    await log.append(Array.from({ length: 50 }, (_, index) => serviceLogLine(`${at * 50 + index}`)));
    // 150 lines are half a file, of which two are kept.
    if (at % 3 === 2) await Promise.all(followers.map(({ until }) => until((at + 1) * 50)));
  }
  await log.append([serviceLogLine('end')]);
  await Promise.all([quiet.until(1), ...followers.map(({ until }) => until(1_201))]);
  for (const { stop } of [quiet, ...followers]) await stop();
  const numbers = Array.from({ length: 1_200 }, (_, at) => `${at}`);
  for (const { lines, events } of followers) {
    assert.deepEqual(
      lines.slice(0, -1).map(({ text }) => text),
      numbers,
    );
    assert.ok(!events.includes('gap'));
  }
  assert.ok(Number(quiet.lines[0]?.id.split(':')[0]) > 2, 'it was rotated');
});

it('one caller follows a bounded number of logs at once, and whoever ends one makes room', async () => {
  const log = await logOf('bounded');
  await log.append(linesOf(1, 1));
  const path = '/services/bounded/logs';
  const member = { 'x-test-user': 'acme/member' };
  const followers = Array.from({ length: 50 }, () => follow(path, member));
  await Promise.all(followers.map(({ until }) => until(1)));
  const ask = async (headers: Record<string, string>) => {
    const accept = 'text/event-stream';
    const answer = await fetch(api.address + path, { headers: { 'x-internal-key': KEY, accept, ...headers } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await ask(member), 429);
  assert.equal(await ask({}), 200, 'the platform itself takes no place');
  await followers.pop()?.stop();
  await waitUntil('there is room again', async () => (await ask(member)) === 200);
  for (const { stop } of followers) await stop();
});

it('a follower whose service is removed, or who may not see it any more, is let go', async () => {
  const log = await logOf('leaves');
  await log.append(linesOf(1, 1));
  const follower = follow('/services/leaves/logs', { 'x-test-user': 'acme/member' });
  await follower.until(1);
  await api.services.remove('svc_leaves');
  assert.equal(await follower.done, 'ended');
});
