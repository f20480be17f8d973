import { z } from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { pathOf } from '../api-client.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { followEvents } from '../follow-events.ts';
import { interruptible } from '../interrupt.ts';
import { printable } from '../terminal/style.ts';

const lineReply = z.looseObject({
  id: z.string(),
  at: z.string(),
  stream: z.string(),
  release: z.string(),
  text: z.string(),
});

const pageReply = z.looseObject({ items: z.array(lineReply), truncated: z.boolean(), live: z.boolean() });

type Line = z.infer<typeof lineReply>;

export interface TailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly stream: string;
  readonly contains?: string;
}

/** `fairlead tail [service]`: what a service prints, the last lines of it or as it comes. */
export async function tail(context: CliContext, given: string | undefined, options: TailOptions): Promise<number> {
  const { output, environment } = context;
  const service = await serviceName(context, given);
  const { lines, stream, contains } = options;
  const path = pathOf('services', service, 'logs');
  const query = { environment, lines, stream, contains };
  const page = await context.api.call(pageReply, { method: 'GET', path, query });
  const print = createPrinter(context);
  if (options.follow !== true) {
    output.document({ service, environment, ...page });
    if (!output.json) for (const line of page.items) print(line);
    noteNothing(context, service, page, options);
    return exitCode('ok');
  }
  for (const line of page.items) print(line);
  noteNothing(context, service, page, options);
  const told = {
    message: `Stopped following ${service}; it continues.`,
    remedy: `Follow it: \`fairlead tail -f ${service}\`.`,
  };
  return await interruptible(told, async (signal) => {
    const request = { path, query, signal, lastId: page.items.at(-1)?.id ?? null, remedy: told.remedy };
    for await (const message of followEvents(context.api, request)) {
      if (message.type === 'message') show(context, message, print);
      else noteConnection(context, message);
    }
    return exitCode('ok');
  });
}

function show(
  { output }: CliContext,
  { event, data }: { readonly event: string | undefined; readonly data: string },
  print: (line: Line) => void,
): void {
  if (event === 'gap') {
    if (output.json) output.event('gap', {});
    else output.note('Some lines were removed before they could be shown: the service prints a lot');
  }
  const line = event === 'line' ? lineReply.safeParse(parseJson(data)) : null;
  if (line?.success) print(line.data);
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

/** Prints lines; says which release they are of, at first and when that changes. */
function createPrinter({ output }: CliContext): (line: Line) => void {
  let release: string | null = null;
  return (line) => {
    if (output.json) {
      output.event('line', line);
      return;
    }
    if (line.release !== release) output.note(output.paint('dim', `Release ${printable(line.release)}`));
    release = line.release;
    const tone = line.stream === 'error' ? 'warn' : 'plain';
    output.print(`${output.paint('dim', line.at.slice(11, 19))} ${output.paint(tone, printable(line.text))}`);
  };
}

function noteNothing(
  { output, environment }: CliContext,
  service: string,
  { items, live, truncated }: z.infer<typeof pageReply>,
  { stream, contains, follow }: TailOptions,
): void {
  if (!live) {
    const at = environment === 'prod' ? '' : ` --env ${environment}`;
    output.note(`${service} is not live in ${environment}. Deploy it: \`fairlead deploy${at}\``);
  }
  if (items.length > 0) return;
  if (stream !== 'all' || contains !== undefined) {
    output.note(truncated ? 'None of the last lines matches; more are looked at with a larger -n' : 'No line matches');
  } else if (live)
    output.note(`${service} printed nothing yet in ${environment}${follow ? '; waiting for its first line' : ''}`);
}
