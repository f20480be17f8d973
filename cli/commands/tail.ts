import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { followLog } from '../follow-log.ts';
import { printable, type Tone } from '../terminal/style.ts';

const lineReply = z.looseObject({
  id: z.string(),
  at: z.string(),
  stream: z.string(),
  release: z.string(),
  level: z.string().nullish(),
  text: z.string(),
});

const pageReply = z.looseObject({ items: z.array(lineReply), truncated: z.boolean(), live: z.boolean() });

type Line = z.infer<typeof lineReply>;

export interface TailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly release?: string;
  readonly stream: string;
  readonly level: string;
  /** ISO times. */
  readonly since?: string;
  readonly until?: string;
  readonly contains?: string;
}

/** `fairlead tail [service]`: what a service prints, the last lines of it or as it comes. */
export async function tail(context: CliContext, given: string | undefined, options: TailOptions): Promise<number> {
  const { output, environment } = context;
  if (options.follow === true && options.until !== undefined) {
    throw usageFailure('A log that is followed has no end.', 'Leave out `--until`, or `-f`.');
  }
  const service = await serviceName(context, given);
  const { follow: _follow, ...filters } = options;
  const path = pathOf('services', service, 'logs');
  const query = { environment, ...filters };
  const page = await context.api.call(pageReply, { method: 'GET', path, query });
  const print = createPrinter(context);
  if (options.follow !== true) {
    output.document({ service, environment, ...page });
    if (!output.json) for (const line of page.items) print(line);
    noteNothing(context, service, page, options);
    return exitCode('ok');
  }
  return await followLog(context, {
    path,
    query,
    begin: () => {
      for (const line of page.items) print(line);
      noteNothing(context, service, page, options);
    },
    lastId: page.items.at(-1)?.id ?? null,
    told: {
      message: `Stopped following ${service}; it continues.`,
      remedy: `Follow it: \`fairlead tail -f ${service}\`.`,
    },
    gap: 'Some lines were removed before they could be shown: the service prints a lot',
    line: lineReply,
    print,
  });
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
    const tone = toneOf(line);
    output.print(`${output.paint('dim', line.at.slice(11, 19))} ${output.paint(tone, printable(line.text))}`);
  };
}

function toneOf({ level, stream }: Line): Tone {
  if (level === 'error' || level === 'fatal') return 'bad';
  return level === 'warn' || stream === 'error' ? 'warn' : 'plain';
}

function noteNothing(
  { output, environment }: CliContext,
  service: string,
  { items, live, truncated }: z.infer<typeof pageReply>,
  { stream, level, release, since, until, contains, follow }: TailOptions,
): void {
  if (!live) {
    const at = environment === 'prod' ? '' : ` --env ${environment}`;
    output.note(`${service} is not live in ${environment}. Deploy it: \`fairlead deploy${at}\``);
  }
  if (items.length > 0) return;
  const isFiltered = [release, since, until, contains].some((filter) => filter !== undefined);
  if (stream !== 'all' || level !== 'all' || isFiltered) {
    output.note(truncated ? 'None of the last lines matches; more are looked at with a larger -n' : 'No line matches');
  } else if (live)
    output.note(`${service} printed nothing yet in ${environment}${follow ? '; waiting for its first line' : ''}`);
}
