import { mayBeSecret } from '../../domain/catalog/variables-file.ts';
import { isReservedVariable, VARIABLE_NAME } from '../../domain/config/variable-names.ts';
import { usageFailure } from '../cli-failure.ts';
import { type CliContext, serviceName } from '../context.ts';
import { readVariables } from '../read-variables.ts';
import { type ChangeOptions, change, readConfig } from './config.ts';

type Row = readonly [name: string, value: string];

/**
 * `fairlead config import <file>`: stores the variables of a file in the notation of dotenv, such as another platform shows
 * its own in. What looks like a secret is stored as one, and so is what the service has as one, or its catalog declares. What the
 * platform provides itself is left out.
 */
export async function importConfig(
  context: CliContext,
  file: string,
  options: ChangeOptions & { readonly secret: readonly string[] },
): Promise<number> {
  const { output } = context;
  const all = Object.entries(await readVariables(context.cwd, file)).sort(([a], [b]) => (a < b ? -1 : 1));
  const named = all.filter(([name]) => VARIABLE_NAME.test(name));
  const [taken, provided] = parted(named, ([name]) => !isReservedVariable(name));
  refuseUnknown(file, options.secret, taken);
  refuseCutKeys(file, taken);
  const service = await serviceName(context, options.service);
  const known = await secretsOf(context, service);
  // A file of examples has no values: it takes none away.
  const [stored, kept] = parted(taken, ([name, value]) => value !== '' || !known.has(name));
  if (stored.length === 0) throw usageFailure(`${file} has no variable to store.`, 'Its lines are KEY=VALUE.');
  const [secrets, set] = parted(
    stored,
    ([name, value]) => value !== '' && (options.secret.includes(name) || known.has(name) || mayBeSecret(name, value)),
  );
  const body = { set: Object.fromEntries(set), secrets: Object.fromEntries(secrets) };
  const code = await change(context, { ...options, service }, body);
  const noteNames = (what: string, rows: readonly Row[], remedy = ''): void => {
    if (rows.length > 0) output.note(`${what}: ${rows.map(([name]) => name).join(', ')}${remedy}`);
  };
  noteNames('Encrypted', secrets);
  noteNames('In clear', set, '. To encrypt one: add --secret and its name');
  noteNames('Left as they are, without a value in the file', kept);
  noteNames('Left out, as the platform provides them itself', provided);
  const others = all.length - named.length;
  // They are not repeated: a line in the middle of a key reads as a name as well.
  if (others > 0) {
    const lines = others === 1 ? '1 line that names' : `${others} lines that name`;
    output.note(`Left out: ${lines} no variable. A value of several lines stands in quotes.`);
  }
  return code;
}

/** Those of which it is true, and the others. */
function parted(rows: readonly Row[], isTrue: (row: Row) => boolean): readonly [readonly Row[], readonly Row[]] {
  return [rows.filter(isTrue), rows.filter((row) => !isTrue(row))];
}

/** Names that a service has encrypted for any environment, or whose catalog says that they are secret. */
async function secretsOf(context: CliContext, service: string): Promise<ReadonlySet<string>> {
  const { declared, variables } = await readConfig(context, service);
  return new Set([...declared, ...variables].filter(({ secret }) => secret).map(({ name }) => name));
}

function refuseUnknown(file: string, chosen: readonly string[], rows: readonly Row[]): void {
  const unknown = chosen.filter((name) => !rows.some(([one]) => one === name));
  // What stands behind `=` may be a value.
  const names = unknown.map((name) => name.split('=', 1)[0]).join(', ');
  if (unknown.length > 0) throw usageFailure(`${file} has no variable ${names}.`);
}

/** Of a key without quotes the first line alone is its value, and others of its lines would be stored as names. */
function refuseCutKeys(file: string, rows: readonly Row[]): void {
  const cut = rows.filter(([, value]) => value.includes('-----BEGIN ') && !value.includes('-----END '));
  const names = cut.map(([name]) => name).join(', ');
  const remedy = 'Put a value of several lines in quotes.';
  if (cut.length > 0) throw usageFailure(`${file} has the first line of a key alone in ${names}.`, remedy);
}
