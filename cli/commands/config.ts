import { z } from 'zod';
import type { Environment } from '../../domain/environment.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';
import { pathOf } from '../api-client.ts';
import { parseAssignments } from '../assignments.ts';
import { usageFailure } from '../cli-failure.ts';
import { type CliContext, serviceName } from '../context.ts';
import { writeEnvFile } from '../env-file.ts';
import { exitCode } from '../exit-codes.ts';
import { namePeople } from '../name-people.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { readSecrets } from '../secret-input.ts';
import { type SourceOptions, secretSources } from '../secret-sources.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();
const names = z.array(text).default([]);

const pendingReply = z.looseObject({
  environment: text,
  releaseId: text,
  added: names,
  changed: names,
  removed: names,
});

const configReply = z.looseObject({
  declared: z.array(z.looseObject({ name: text, secret: z.boolean() })).default([]),
  variables: z.array(
    z.looseObject({
      name: text,
      secret: z.boolean(),
      value: text,
      environment: text.nullish(),
      changedAt: text.nullish(),
      changedBy: text.nullish(),
      origin: z.looseObject({ kind: text, name: text }).nullish(),
    }),
  ),
  pending: z.array(pendingReply).default([]),
});

const changedReply = z.looseObject({
  environment: text.nullish(),
  set: names,
  unset: names,
  absent: names,
  warnings: names,
});

const valuesReply = z.looseObject({ environment: text, variables: z.record(text, text) });

const historyReply = z.looseObject({
  id: text,
  at: text,
  changedBy: text,
  environment: text.nullish(),
  set: names,
  setSecret: names,
  unset: names,
  made: z.boolean().default(true),
});

export interface ChangeOptions {
  readonly service?: string;
  /** The one environment that the change is for; null for all. */
  readonly only: Environment | null;
}

const configPath = (service: string, ...rest: readonly string[]): string =>
  pathOf('services', service, 'config', ...rest);

/** `fairlead config list`: every variable, and what the next deploy changes. */
export async function listConfig(context: CliContext, given: string | undefined): Promise<number> {
  const { output, now } = context;
  const service = await serviceName(context, given);
  const config = await readConfig(context, service);
  output.document(config);
  if (output.quiet) for (const name of new Set(config.variables.map((row) => row.name))) output.print(name);
  else if (config.variables.length === 0) {
    output.print(`${service} has no variables. Set one: fairlead config set KEY=VALUE --service ${service}`);
  } else {
    const who = await namePeople(
      context,
      config.variables.flatMap(({ changedBy }) => changedBy ?? []),
    );
    output.table(
      [
        { title: 'VARIABLE' },
        { title: 'VALUE', shrinks: true },
        { title: 'ENV' },
        { title: 'CHANGED' },
        { title: 'BY' },
      ],
      config.variables.map((row) => [
        { text: row.name, tone: 'bold' },
        { text: row.origin == null ? row.value : `${row.value} (${row.origin.kind}: ${row.origin.name})` },
        { text: row.environment ?? 'all' },
        { text: formatAge(row.changedAt, now()), tone: 'dim' },
        { text: row.changedBy == null ? '' : who(row.changedBy), tone: 'dim' },
      ]),
    );
  }
  notePending(context, config.pending);
  return exitCode('ok');
}

/** `fairlead config set`. */
export async function setConfig(
  context: CliContext,
  assignments: readonly string[],
  options: ChangeOptions & SourceOptions,
): Promise<number> {
  const sources = secretSources(options, assignments);
  if (sources !== null) return change(context, options, { secrets: sources });
  const set = parseAssignments(assignments, 'config set');
  if (assignments.length + options.secret.length === 0) {
    throw usageFailure('No variable was given.', 'Give KEY=VALUE, or --secret KEY for a value that must stay secret.');
  }
  const secrets = await readSecrets(options.secret, context.terminal);
  for (const name of Object.keys(set).filter(isSensitiveName)) {
    context.output.note(`${name} is stored in clear. To encrypt it: \`fairlead config set --secret ${name}\``);
  }
  return change(context, options, { set, secrets });
}

/** `fairlead config unset`. */
export function unsetConfig(context: CliContext, unset: readonly string[], options: ChangeOptions): Promise<number> {
  return change(context, options, { unset });
}

/** Makes a change of variables, and says what was done. */
export async function change(
  context: CliContext,
  { service: given, only }: ChangeOptions,
  body: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { output } = context;
  const service = await serviceName(context, given);
  const changed = await context.api.call(changedReply, {
    method: 'PATCH',
    path: configPath(service),
    body: { environment: only, ...body },
  });
  output.document(changed);
  const scope = only === null ? 'in every environment' : `in ${only}`;
  const done = [
    ...(changed.set.length > 0 ? [`Set ${changed.set.join(', ')}`] : []),
    ...(changed.unset.length > 0 ? [`Removed ${changed.unset.join(', ')}`] : []),
  ];
  if (output.quiet) for (const name of [...changed.set, ...changed.unset]) output.print(name);
  else for (const line of done) output.print(`${line} of ${output.paint('bold', service)} ${scope}`);
  for (const warning of changed.warnings) output.note(warning);
  const missing = only === null ? 'that is set for all environments' : `that is set for ${only} alone`;
  for (const name of changed.absent) output.note(`There is no variable ${name} ${missing}: nothing of it was removed.`);
  if (done.length > 0) output.note('It takes effect with the next deploy.');
  return exitCode('ok');
}

/** `fairlead config pull`: the values of an environment in a file that only its owner reads. */
export async function pullConfig(
  context: CliContext,
  options: { readonly service?: string; readonly file: string; readonly yes?: boolean },
): Promise<number> {
  const { output, environment } = context;
  const service = await serviceName(context, options.service);
  const { variables } = await context.api.call(valuesReply, {
    method: 'GET',
    path: configPath(service, 'values'),
    query: { environment },
  });
  const path = await writeEnvFile(context, { service, path: options.file, values: variables }, options);
  const pulled = Object.keys(variables);
  output.document({ service, environment, file: path, names: pulled });
  const count = pulled.length === 1 ? '1 variable' : `${pulled.length} variables`;
  output.print(output.quiet ? path : `Wrote ${count} of ${output.paint('bold', service)} in ${environment} to ${path}`);
  return exitCode('ok');
}

/** `fairlead config history`. */
export async function configHistory(
  context: CliContext,
  options: { readonly service?: string; readonly limit: number },
): Promise<number> {
  const { output, now } = context;
  const service = await serviceName(context, options.service);
  const page = await readPages(context.api, historyReply, {
    path: configPath(service, 'history'),
    limit: options.limit,
  });
  output.document(page);
  if (page.items.length === 0) output.print(`Nobody has changed variables of ${service} yet.`);
  else {
    const who = await namePeople(
      context,
      page.items.map(({ changedBy }) => changedBy),
    );
    output.table(
      [{ title: 'CHANGED' }, { title: 'BY' }, { title: 'ENV' }, { title: 'VARIABLES', shrinks: true }, { title: '' }],
      page.items.map((entry) => [
        { text: formatAge(entry.at, now()), tone: 'dim' },
        { text: who(entry.changedBy) },
        { text: entry.environment ?? 'all' },
        { text: [...entry.set, ...entry.setSecret, ...entry.unset.map((name) => `-${name}`)].join(', ') },
        { text: entry.made ? '' : 'not confirmed', tone: 'warn' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** Says which environments serve with other values than those that are stored. */
export async function notePendingOf(context: CliContext, service: string): Promise<void> {
  if (context.output.json || context.output.quiet) return;
  try {
    const { pending } = await readConfig(context, service);
    const here = pending.filter((row) => row.environment === context.environment);
    notePending(context, here);
  } catch (error) {
    // It is a remark about work that succeeded: it must not make a failure of it.
    context.output.note(`Stored variables could not be compared: ${error instanceof Error ? error.message : error}`);
  }
}

/** What is stored for a service, and what its catalog declares. */
export function readConfig(context: CliContext, service: string): Promise<z.infer<typeof configReply>> {
  return context.api.call(configReply, { method: 'GET', path: configPath(service) });
}

function notePending({ output }: CliContext, pending: readonly z.infer<typeof pendingReply>[]): void {
  for (const { environment, added, changed, removed } of pending) {
    const parts = [
      ...(added.length > 0 ? [`adds ${added.join(', ')}`] : []),
      ...(changed.length > 0 ? [`changes ${changed.join(', ')}`] : []),
      ...(removed.length > 0 ? [`removes ${removed.join(', ')}`] : []),
    ];
    output.note(
      `${environment} serves with other values: its next deploy ${new Intl.ListFormat('en-GB').format(parts)}.`,
    );
  }
}
