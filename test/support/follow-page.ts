import { createParser } from 'eventsource-parser';
import type { createBrowser } from './start-console.ts';
import { waitUntil } from './wait-until.ts';

type TestBrowser = ReturnType<typeof createBrowser>;

export interface FollowedChange {
  readonly id: string;
  readonly region: string;
  readonly mode: string;
  readonly html: string;
}

/** Follows the changes of a page as the script does, until told to stop or the console ends the stream. */
export function followPage(address: string, browser: Pick<TestBrowser, 'cookies'>, path: string, lastEventId?: string) {
  const abort = new AbortController();
  const changes: FollowedChange[] = [];
  const ends: { reason: string }[] = [];
  const parser = createParser({
    onEvent: ({ event, id = '', data }) => {
      if (event === 'change') changes.push({ id, ...JSON.parse(data) });
      else if (event === 'end') ends.push(JSON.parse(data));
    },
  });
  const read = async (): Promise<void> => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${address}/live${path}`, {
      headers: { cookie, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(20_000)]),
    });
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(chunk);
  };
  const done = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error;
  });
  const of = (region: string) => changes.filter((change) => change.region === region);
  const until = (region: string, count: number) => waitUntil(`${count} changes`, () => of(region).length >= count);
  const stop = (): Promise<void> => {
    abort.abort();
    return done;
  };
  return { changes, ends, of, until, stop, done };
}
