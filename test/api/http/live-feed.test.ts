import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLiveFeeds, type FeedBounds, type FeedSource } from '../../../api/http/live-feed.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface State {
  readonly lines: number;
}
type Read = FeedSource<number, number, State>['read'];

const PAGE = 5;
const never = new AbortController().signal;

/** A log whose lines are its numbers from 1 on; reading it can be made to fail or to wait. */
function growingLog() {
  const log = { length: 0, reads: 0, held: 0, fails: null as Error | null, gate: null as Promise<void> | null };
  const read: Read = async (place) => {
    log.reads += 1;
    const state = { lines: log.length };
    await turn();
    await log.gate;
    if (log.fails !== null) throw log.fails;
    const count = Math.max(0, Math.min(PAGE, log.length - place));
    const lines = Array.from({ length: count }, (_, index) => place + index + 1);
    return { lines, next: lines.at(-1) ?? place, state };
  };
  return { log, read };
}

function feedsOf(read: Read, keep: FeedBounds = { perLog: 1_000, inAll: 10_000 }) {
  return createLiveFeeds<string, number, number, State, null>({
    nameOf: (name) => name,
    source: () => ({
      read,
      compare: (a, b) => a - b,
      behind: (line) => line,
      bytes: () => 10,
      stateOfRest: (state) => state,
    }),
    share: () => null,
    keep,
    pollMs: 5,
  });
}

type Watch = ReturnType<ReturnType<typeof feedsOf>>;

/** Takes every line from a place on until it has the last one. */
async function followTo(last: () => number, watch: Watch, from: number, pause = async (): Promise<void> => {}) {
  const seen: number[] = [];
  let place = from;
  let order = 0;
  let known = 0;
  while (place < last()) {
    const page = await watch.feed.next(place, never);
    seen.push(...page.lines);
    place = page.next;
    if (page.order > order) {
      order = page.order;
      assert.ok(page.state.lines >= known, 'what is newer by its order knows of no fewer lines');
      known = page.state.lines;
    }
    await pause();
  }
  watch.leave();
  return seen;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1);

/** Numbers from 0 up to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

it('100 watchers of a log cost the reads of one', async () => {
  const { log, read } = growingLog();
  const watch = feedsOf(read);
  const last = () => 60;
  const watchers = Array.from({ length: 100 }, () => followTo(last, watch('a'), 0));
  for (; log.length < 60; log.length += 1) await waitUntil('a read', () => log.reads > log.length);
  for (const seen of await Promise.all(watchers)) assert.deepEqual(seen, range(0, 60));
  assert.ok(log.reads < 200, `${log.reads} reads`);
});

for (let seed = 1; seed <= 40; seed += 1) {
  it(`every watcher has each line once and in its order, whenever it comes and however slow it is (${seed})`, async () => {
    const random = seeded(seed);
    const { log, read } = growingLog();
    // From nothing that is kept to more than there is.
    const perLog = [0, 40, 150, 10_000][seed % 4] ?? 0;
    const watch = feedsOf(read, { perLog, inAll: perLog * 2 });
    const total = 150;
    const followers: Promise<void>[] = [];
    const follow = async (): Promise<void> => {
      const from = Math.floor(random() * (log.length + 1));
      const slowness = Math.floor(random() * 4) ** 2;
      const pause = async () => {
        for (let left = slowness; left > 0; left -= 1) await turn();
      };
      const name = random() < 0.8 ? 'a' : 'b';
      assert.deepEqual(await followTo(() => total, watch(name), from, pause), range(from, total));
    };
    while (log.length < total) {
      if (followers.length < 30 && random() < 0.4) followers.push(follow());
      log.length = Math.min(total, log.length + Math.floor(random() * random() * 20));
      for (let left = Math.floor(random() * 5); left > 0; left -= 1) await turn();
    }
    followers.push(follow());
    await Promise.all(followers);
  });
}

it('a place that no log has reached keeps nobody from what is written', async () => {
  const { log, read } = growingLog();
  const watch = feedsOf(read);
  log.length = 12;
  const far = new AbortController();
  const lost = watch('a').feed.next(Number.MAX_SAFE_INTEGER, far.signal);
  const others = Array.from({ length: 20 }, () => followTo(() => 40, watch('a'), 0));
  await waitUntil('the far one has read', () => log.reads > 3);
  log.length = 40;
  for (const seen of await Promise.all(others)) assert.deepEqual(seen, range(0, 40));
  far.abort();
  await lost.catch(() => undefined);
});

it('a failure reaches all who wait, and the next read serves them again', async () => {
  const { log, read } = growingLog();
  const watch = feedsOf(read);
  const watchers = Array.from({ length: 10 }, () => watch('a'));
  log.fails = new Error('the database is away');
  for (const outcome of await Promise.allSettled(watchers.map(({ feed }) => feed.next(0, never)))) {
    assert.equal(outcome.status === 'rejected' && outcome.reason, log.fails);
  }
  log.fails = null;
  log.length = 3;
  for (const { feed } of watchers) assert.deepEqual((await feed.next(0, never)).lines, [1, 2, 3]);
});

it('whoever goes while a read hangs is let go at once; the others get what it brings', async () => {
  const { log, read } = growingLog();
  const watch = feedsOf(read);
  const gate = Promise.withResolvers<void>();
  log.gate = gate.promise;
  const stays = watch('a').feed.next(0, never);
  const goes = new AbortController();
  const gone = watch('a').feed.next(0, goes.signal);
  goes.abort();
  await assert.rejects(gone, { name: 'AbortError' });
  await assert.rejects(watch('a').feed.next(0, goes.signal), { name: 'AbortError' });
  log.length = 2;
  gate.resolve();
  assert.deepEqual((await stays).lines, [1, 2]);
});

it('a read that fails when everybody has gone disturbs nobody', async () => {
  const { log, read } = growingLog();
  const watch = feedsOf(read);
  const gate = Promise.withResolvers<void>();
  log.gate = gate.promise;
  const goes = new AbortController();
  const one = watch('a');
  const gone = one.feed.next(0, goes.signal);
  goes.abort();
  await assert.rejects(gone);
  one.leave();
  log.fails = new Error('nobody hears this');
  gate.resolve();
  for (let left = 5; left > 0; left -= 1) await turn();
  log.fails = null;
  log.length = 1;
  assert.deepEqual((await watch('a').feed.next(0, never)).lines, [1]);
});

it('a log that was shortened goes on from where it ends now', async () => {
  // As the files of services: what a failed write left half is cut off, and a place behind the end becomes the end.
  const log = { end: 10, offset: 0 };
  const read: Read = async (place) => {
    await turn();
    const from = Math.min(place, log.end);
    const lines = range(from, log.end).slice(0, PAGE);
    return { lines, next: lines.at(-1) ?? from, state: { lines: log.end } };
  };
  const watch = feedsOf(read);
  const watchers = [watch('a'), watch('a')];
  const places = [10, 10];
  const step = (at: number) =>
    watchers[at]?.feed.next(places[at] ?? 0, never).then((page) => {
      places[at] = page.next;
      return page.lines;
    });
  assert.deepEqual(await Promise.all([step(0), step(1)]), [[], []]);
  log.end = 8;
  assert.deepEqual(await step(0), []);
  log.end = 12;
  for (const at of [0, 1]) {
    const seen: number[] = [];
    await waitUntil('it has met the end', async () => {
      seen.push(...((await step(at)) ?? []));
      return places[at] === 12;
    });
    assert.deepEqual(seen, [9, 10, 11, 12].slice(at === 0 ? 0 : 2));
  }
});

it('keeps no more than its bounds, in one log and in all', async () => {
  const { log, read } = growingLog();
  log.length = 100;
  const watch = feedsOf(read, { perLog: 100, inAll: 150 });
  const [a, b] = [watch('a'), watch('b')];
  const last = () => 100;
  const first = watch('a');
  await followTo(last, a, 0);
  // 10 lines of 10 bytes are kept: nothing is read for these.
  let before = log.reads;
  assert.deepEqual((await first.feed.next(90, never)).lines, range(90, 95));
  assert.deepEqual((await first.feed.next(97, never)).lines, range(97, 100));
  assert.equal(log.reads, before);
  assert.deepEqual((await first.feed.next(85, never)).lines, range(85, 90));
  assert.equal(log.reads, before + 1);
  const second = watch('b');
  await followTo(last, b, 0);
  // Both together keep 15: the second log found room for 5 of its own.
  before = log.reads;
  await second.feed.next(95, never);
  assert.equal(log.reads, before);
  await second.feed.next(90, never);
  assert.equal(log.reads, before + 1);
  first.leave();
  first.leave();
});

it('a crowd that catches up reads eight pages at once and no more, and each of it has every line', async () => {
  const { log, read } = growingLog();
  log.length = 500;
  let reading = 0;
  let most = 0;
  const counted: Read = async (place) => {
    reading += 1;
    most = Math.max(most, reading);
    await turn();
    try {
      return await read(place);
    } finally {
      reading -= 1;
    }
  };
  // A window of one page: who is behind reads for himself.
  const feeds = feedsOf(counted, { perLog: 10 * PAGE, inAll: 10 * PAGE });
  const first = feeds('a');
  await first.feed.next(log.length, AbortSignal.timeout(50)).catch(() => undefined);
  const crowd = Array.from({ length: 40 }, (_, index) => followTo(() => log.length, feeds('a'), index));
  const seen = await Promise.all(crowd);
  for (const [index, lines] of seen.entries()) assert.deepEqual(lines, range(index, log.length));
  assert.equal(most, 8);
  first.leave();
});
