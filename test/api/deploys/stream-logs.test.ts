import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { it } from 'node:test';
import { type BuildFeedsDeps, createBuildFeeds } from '../../../api/deploys/build-feeds.ts';
import { streamLogs } from '../../../api/deploys/stream-logs.ts';
import type { EventStreamTimes } from '../../../api/http/event-stream.ts';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord } from '../../ports/records.ts';

const builds = { find: async (id: string) => buildRecord({ id }) };

/** Serves one stream on a loopback port and gives the socket of a client that has asked for it. */
async function openStream(
  {
    times = {},
    ...deps
  }: Pick<BuildFeedsDeps, 'log' | 'builds' | 'pollMs'> & { readonly times?: Partial<EventStreamTimes> },
  stillAllowed = async () => true,
) {
  const watch = createBuildFeeds({ ...deps, services: { find: async () => null } });
  const streamed = Promise.withResolvers<ServerResponse>();
  const done = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    streamed.resolve(response);
    const request = {
      feed: watch(buildRecord({ id: 'bld_1' })).feed,
      after: 0,
      stepsAt: null,
      times,
      gone: gone.signal,
      stopping: new AbortController().signal,
      stillAllowed,
    };
    streamLogs(response, request).then(done.resolve, done.reject);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const socket = connect(address.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const close = async (): Promise<void> => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { socket, response: await streamed.promise, done: done.promise, close };
}

it('a reader that takes nothing is disconnected, and no lines are read ahead for it', async () => {
  let pages = 0;
  const read = async (_id: string, after: number, limit: number) => {
    pages += 1;
    return Array.from({ length: limit }, (_, index) => ({ ...logLine('x'.repeat(4_000)), seq: after + index + 1 }));
  };
  const stream = await openStream({ builds, log: { read, hasMore: async () => true }, times: { slowReaderMs: 300 } });
  stream.socket.pause();
  try {
    await stream.done;
    assert.equal(stream.response.destroyed, true);
    assert.ok(pages < 20, `${pages} pages of 2 MB were read`);
    assert.ok(stream.response.writableLength < 1_000_000);
  } finally {
    await stream.close();
  }
});

it('a quiet stream is kept alive, and ends when the client goes', async () => {
  const quiet = { read: async () => [], hasMore: async () => false };
  const stream = await openStream({ builds, log: quiet, pollMs: 10, times: { heartbeatMs: 30 } });
  try {
    let text = '';
    const signal = AbortSignal.timeout(5_000);
    while (text.split(': still here').length < 3) text += String((await once(stream.socket, 'data', { signal }))[0]);
    stream.socket.destroy();
    await stream.done;
  } finally {
    await stream.close();
  }
});

it('a stream whose caller would not be let in any more ends, however long the build goes on', async () => {
  let allowed = true;
  let seq = 0;
  const log = { read: async () => [{ ...logLine('tick'), seq: ++seq }], hasMore: async () => true };
  const stream = await openStream({ builds, log, times: { recheckMs: 20 } }, async () => allowed);
  try {
    stream.socket.resume();
    await once(stream.socket, 'data');
    allowed = false;
    await stream.done;
    assert.equal(stream.response.writableEnded, true);
  } finally {
    await stream.close();
  }
});
