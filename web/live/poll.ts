import { setTimeout as delay } from 'node:timers/promises';
import { type Html, renderHtml } from '../../api/http/pages/html.ts';
import type { LiveContext } from '../page.ts';
import type { LiveEvent } from './live-event.ts';

/**
 * Changes found by looking again: `look` gives the regions as they are now, and those that differ from the last look are
 * sent. For what no service tells by itself; a region holds what changes, and so not the time.
 * @param everyMs between two looks
 */
export async function* pollRegions(
  { signal }: Pick<LiveContext, 'signal'>,
  everyMs: number,
  look: () => Promise<Readonly<Record<string, Html>>>,
): AsyncGenerator<LiveEvent> {
  const shown = new Map<string, string>();
  while (!signal.aborted) {
    for (const [region, html] of Object.entries(await look())) {
      const text = withoutTimes(renderHtml(html));
      const before = shown.get(region);
      shown.set(region, text);
      if (before !== text) yield { region, mode: 'replace', html };
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** "2 min ago" is kept current by the page itself. */
function withoutTimes(markup: string): string {
  return markup.replace(/(<time [^>]*data-ago>)[^<]*/g, '$1');
}
