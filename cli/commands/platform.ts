import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { followLog } from '../follow-log.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();
const fileReply = {
  part: text,
  stream: text,
  sizeBytes: z.number(),
  sizeHuman: text,
  modifiedAt: text,
};

const logsReply = z.looseObject({
  files: z.array(z.looseObject({ ...fileReply, path: text })),
  rotated: z.array(z.looseObject({ ...fileReply, name: text })),
  totalHuman: text,
  rotation: z.looseObject({ maxSize: text.nullable(), retain: z.number().nullable() }),
});

const lineReply = z.looseObject({
  ts: text.nullable(),
  level: text.nullable(),
  msg: text.nullable(),
  raw: text,
});

const tailReply = z.looseObject({
  part: text,
  lines: z.array(lineReply),
  truncated: z.boolean(),
  next: text,
});

type Line = z.infer<typeof lineReply>;

/** `fairlead platform logs`: the log files of the platform's programs. */
export async function listPlatformLogs(context: CliContext): Promise<number> {
  const { api, output, now } = context;
  const logs = await api.call(logsReply, { method: 'GET', path: pathOf('platform', 'logs') });
  output.document(logs);
  if (logs.files.length === 0) output.note('This installation keeps no logs of its programs: whoever runs them does');
  else {
    const files = [...logs.files, ...logs.rotated.map(({ name, ...file }) => ({ ...file, path: name }))];
    output.table(
      [{ title: 'PART' }, { title: 'OUTPUT' }, { title: 'SIZE' }, { title: 'CHANGED' }, { title: 'FILE' }],
      files.map(({ part, stream, sizeHuman, modifiedAt, path }) => [
        { text: part },
        { text: stream },
        { text: sizeHuman },
        { text: formatAge(modifiedAt, now()) },
        { text: path, tone: 'dim' },
      ]),
    );
    const { maxSize, retain } = logs.rotation;
    const rule = maxSize === null ? '' : `; rotated at ${maxSize} and at midnight UTC, ${retain} files kept`;
    output.note(`${logs.totalHuman} in all${rule}`);
  }
  return exitCode('ok');
}

export interface PlatformTailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly stream: string;
  readonly level: string;
}

/** `fairlead platform tail [part]`: what a program of the platform prints, the last lines of it or as it comes. */
export async function tailPlatform(
  context: CliContext,
  part: string | undefined,
  { follow, ...filters }: PlatformTailOptions,
): Promise<number> {
  const { api, output } = context;
  const path = pathOf('platform', 'logs', 'tail');
  const query = { ...(part === undefined ? {} : { part }), ...filters };
  const page = await api.call(tailReply, { method: 'GET', path, query });
  const print = (line: Line): void => {
    if (output.json) output.event('line', line);
    else output.print(output.paint(toneOf(line), printable(line.raw)));
  };
  if (follow !== true) {
    output.document(page);
    if (!output.json) for (const line of page.lines) print(line);
    if (page.lines.length === 0) output.note(page.truncated ? 'None of the last lines matches' : 'No line matches');
    return exitCode('ok');
  }
  return await followLog(context, {
    path,
    begin: () => {
      for (const line of page.lines) print(line);
    },
    query: { ...query, part: page.part },
    lastId: page.next,
    told: {
      message: `Stopped following ${page.part}; it continues.`,
      remedy: `Follow it: \`fairlead platform tail ${page.part} -f\`.`,
    },
    gap: 'Some lines were removed before they could be shown',
    line: lineReply,
    print,
  });
}

function toneOf({ level }: Line): Tone {
  if (level === 'error' || level === 'fatal') return 'bad';
  return level === 'warn' ? 'warn' : 'plain';
}
