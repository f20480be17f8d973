import type { z } from 'zod';
import { parseJson } from '../domain/parse-json.ts';
import type { ApiRequest } from './api-client.ts';
import type { CliContext } from './context.ts';
import { followEvents } from './follow-events.ts';
import { interruptible } from './interrupt.ts';

interface FollowedLog<L> extends Pick<ApiRequest, 'path' | 'query'> {
  /** The id of the last line that was shown; null begins with the last lines. */
  readonly lastId: string | null;
  /** Shows the last lines. Whoever sees one presses Ctrl-C, which is heard by then. */
  readonly begin: () => void;
  /** What Ctrl-C says. */
  readonly told: { readonly message: string; readonly remedy: string };
  /** Said where lines were removed before they were read. */
  readonly gap: string;
  readonly line: z.ZodType<L>;
  readonly print: (line: L) => void;
}

/** Prints the lines of a log as they come, until Ctrl-C. @throws CliFailure as {@link followEvents} and {@link interruptible} do */
export async function followLog<L>(context: CliContext, log: FollowedLog<L>): Promise<never> {
  const { path, query, lastId, told, line, print } = log;
  const { output } = context;
  const show = ({ event, data }: { readonly event: string | undefined; readonly data: string }): void => {
    if (event === 'gap' && output.json) output.event('gap', {});
    else if (event === 'gap') output.note(log.gap);
    const parsed = event === 'line' ? line.safeParse(parseJson(data)) : null;
    if (parsed?.success) print(parsed.data);
  };
  return await interruptible(told, async (signal) => {
    log.begin();
    const request = { path, signal, lastId, remedy: told.remedy, ...(query === undefined ? {} : { query }) };
    for await (const message of followEvents(context.api, request)) {
      if (message.type === 'message') show(message);
      else noteConnection(context, message);
    }
    throw new Error('a log that is followed has no end');
  });
}

function noteConnection(
  { output }: CliContext,
  message: { readonly type: 'lost'; readonly reason: string } | { readonly type: 'back' },
): void {
  const { type, ...fields } = message;
  if (output.json) output.event(type, fields);
  else if (message.type === 'back') output.note('Connected again');
  else output.note(`Connection lost (${message.reason}); trying again for up to a minute`);
}
