import type { z } from 'zod';
import { buildViewSchema, logLineSchema, stepsEventSchema } from '../../domain/deploys/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { LiveEvent } from '../live/live-event.ts';
import type { LiveContext } from '../page.ts';
import { nameAll } from '../people/who.ts';
import { type PlatformEvent, pathOf } from '../platform/platform.ts';
import { buildLogLines, lineBefore, stepTitles } from './build-log.ts';
import { buildRegions, peopleOf, stepsRegion } from './build-parts.ts';

type Context = LiveContext<{ readonly id: string }, { readonly after?: number | undefined }>;

/**
 * Changes of a build while its page is open: lines as they are written, steps, and with each status everything else. The
 * builder's own stream ends by an event; one that only stops goes on after the last line.
 * @throws UNAVAILABLE when it stops without that: the browser then asks again, and hears why if it may not go on
 */
export async function* followBuild(opened: Context): AsyncGenerator<LiveEvent> {
  const { platform, params, signal } = opened;
  const path = pathOf('builds', params.id);
  let build = await platform.get('builder', path, buildViewSchema);
  const context = { ...opened, who: await nameAll(opened, peopleOf(build)) };
  const after = resumePoint(context);
  let step = (await lineBefore(platform, params.id, after + 1))?.step ?? null;
  const lastEventId = after === 0 ? undefined : String(after);
  const events = platform.follow('builder', `${path}/logs`, { query: { steps: true }, lastEventId, signal });
  for await (const event of events) {
    if (event.event === 'line') {
      const line = read(event, logLineSchema);
      const html = buildLogLines(build.id, [line], { titles: stepTitles(build.steps), before: step });
      step = line.step;
      yield { region: 'log', mode: 'append', html, id: String(line.seq) };
    } else if (event.event === 'steps') {
      build = { ...build, ...read(event, stepsEventSchema) };
      yield* [stepsRegion(build), ...buildRegions(build, context)];
    } else if (event.event === 'status' || event.event === 'end') {
      build = await platform.get('builder', path, buildViewSchema);
      yield* [stepsRegion(build), ...buildRegions(build, context)];
    }
    if (event.event === 'end') return;
  }
  throw new FairleadError('UNAVAILABLE', 'The log stopped before the build ended', { retryable: true });
}

/** The last line that the browser has: of the stream before, or of its page. */
function resumePoint({ lastEventId, query }: Context): number {
  const resumed = lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  return resumed ?? query.after ?? 0;
}

/** @throws UNAVAILABLE for an event of another form */
function read<T>({ data }: PlatformEvent, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(parseJson(data));
  if (parsed.success) return parsed.data;
  throw new FairleadError('UNAVAILABLE', 'The builder sent an event that the console cannot read', {
    cause: parsed.error,
  });
}
