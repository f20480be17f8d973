import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { PART_ROWS } from './parts.ts';
import { defaultDataFolder, type Env } from './project.ts';
import { fixedPorts, type Ports } from './stack-ports.ts';
import { keptSecrets } from './stack-secrets.ts';
import { errorLine, formatTable, silentReporter } from './terminal.ts';

/** `fairlead credentials [part]`: by which a person opens the embedded parts of this checkout's stack. */

type Credentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

const connectionSchema = z.object({ ports: z.record(z.string(), z.number()) });

/** Of each part that is not replaced by production, by its name. @throws FairleadError NOT_FOUND */
export async function stackCredentials(dataDir: string, env: Env): Promise<Credentials> {
  const { secret } = await keptSecrets(dataDir);
  const context = { dataDir, ports: await portsOf(dataDir, env), secret, env, report: silentReporter };
  const embedded = PART_ROWS.filter(({ replacedBy }) => !env[replacedBy]);
  const named = embedded.map((part) => [part.name, part.credentials(context)] as const);
  return Object.fromEntries(named.filter(([, rows]) => Object.keys(rows).length > 0));
}

/** Those of the stack that runs, else those that it would have. */
async function portsOf(dataDir: string, env: Env): Promise<Ports> {
  const text = await readFile(join(dataDir, 'connection.json'), 'utf8').catch(() => null);
  const usual = await fixedPorts(env, []);
  return text === null ? usual : { ...usual, ...connectionSchema.parse(JSON.parse(text)).ports };
}

/** Why a part shows nothing: a variable of this terminal that replaces it, or no such part. */
export function absence(name: string, env: Env): string {
  const replacedBy = PART_ROWS.find((part) => part.name === name)?.replacedBy;
  if (replacedBy !== undefined && env[replacedBy]) {
    return `${name} is not the embedded one, because ${replacedBy} is set in this terminal: unset it.`;
  }
  return `no part called ${name} has credentials.`;
}

/** What `fairlead credentials --help` says: how it is typed, and every part that may have credentials. */
export function helpText(): string {
  const rows = PART_ROWS.map(({ name, title, replacedBy }) => [
    `  ${name}`,
    `${title}; not where ${replacedBy} is set`,
  ]);
  return [
    'Usage: fairlead credentials [options] [part...]',
    '',
    'Prints by which you open the embedded parts of this checkout’s stack: addresses, users and passwords. It reads the data folder',
    '(.fairlead, or FAIRLEAD_DATA_DIR), asks no API, and works while the stack is stopped. Whoever reads the passwords administers the parts.',
    'The logins of services’ databases are not among them: `fairlead db logins` lists those, without passwords.',
    '',
    'Parts (default: all that have credentials):',
    formatTable(rows),
    '',
    'Options:',
    '  --json      one JSON document',
    '  -h, --help  this text',
  ].join('\n');
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(helpText());
    return;
  }
  const all = await stackCredentials(defaultDataFolder(process.env), process.env);
  const names = positionals.length > 0 ? positionals : Object.keys(all);
  const shown = names.map((name) => {
    const rows = all[name];
    if (rows === undefined) {
      throw new FairleadError(
        'NOT_FOUND',
        `${absence(name, process.env)} These have credentials: ${Object.keys(all).join(', ')}`,
      );
    }
    return [name, rows] as const;
  });
  if (values.json) console.log(JSON.stringify({ success: true, data: Object.fromEntries(shown) }));
  else console.log(formatTable(shown.flatMap(([name, rows]) => Object.entries(rows).map((row) => [name, ...row]))));
}

if (import.meta.main) {
  await main().catch((error) => {
    process.stderr.write(`fairlead: ${errorLine(error)}\n`);
    process.exitCode = 1;
  });
}
