import { createParser } from 'eventsource-parser';
import { KEY } from './start-api.ts';
import { waitUntil } from './wait-until.ts';

export interface FollowedLine {
  readonly id: string;
  readonly text: string;
  readonly release: string;
}

/**
 * Follows a log of the builder until it is told to stop, or the server ends or cuts the stream.
 * @typeParam Extra what its lines have besides
 */
export function followEvents<Extra extends object = object>(url: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const lines: (FollowedLine & Extra)[] = [];
  const events: string[] = [];
  const parser = createParser({
    onEvent: ({ event = '', id = '', data }) => {
      events.push(event);
      if (event === 'line') lines.push({ ...JSON.parse(data), id });
    },
  });
  const read = async (): Promise<'ended' | 'cut' | 'stopped'> => {
    try {
      const response = await fetch(url, {
        headers: {
          ...(headers.authorization === undefined ? { 'x-internal-key': KEY } : {}),
          accept: 'text/event-stream',
          ...headers,
        },
        signal: AbortSignal.any([abort.signal, AbortSignal.timeout(30_000)]),
      });
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(chunk);
      return 'ended';
    } catch (error) {
      if (abort.signal.aborted) return 'stopped';
      if (error instanceof TypeError) return 'cut';
      throw error;
    }
  };
  const done = read();
  const until = (count: number) => waitUntil(`${count} lines`, () => lines.length >= count);
  const stop = (): Promise<'ended' | 'cut' | 'stopped'> => {
    abort.abort();
    return done;
  };
  return { lines, events, until, stop, done, texts: () => lines.map(({ text }) => text) };
}
