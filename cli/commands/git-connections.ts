import { z } from 'zod';
import type { Environment } from '../../domain/environment.ts';
import type { GitProvider } from '../../domain/git-provider.ts';
import { pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type ConnectionReply, connectedReply, connectionReply, problemReply, type Rule } from '../git-replies.ts';
import { MOST, readPages } from '../read-pages.ts';
import { readSecrets } from '../secret-input.ts';
import { printable } from '../terminal/style.ts';

export interface ConnectOptions {
  readonly provider: GitProvider;
  readonly repository?: string;
  readonly api?: string;
  readonly branch: readonly string[];
  readonly tag: readonly string[];
  readonly to: Environment;
  readonly watch: readonly string[];
  readonly token?: boolean;
  readonly secret?: boolean;
  readonly plainToken?: boolean;
  /** Seconds. */
  readonly poll?: number;
  /** Keeps the rules that the service has. */
  readonly add?: boolean;
}

/** `fairlead git connect [service]`. */
export async function connect(
  context: CliContext,
  given: string | undefined,
  options: ConnectOptions,
): Promise<number> {
  const { output, api, terminal } = context;
  const service = await serviceName(context, given);
  const { provider, repository, poll, plainToken, api: apiUrl } = options;
  const wanted = [...(options.token === true ? ['token'] : []), ...(options.secret === true ? ['secret'] : [])];
  const secrets = await readSecrets(wanted, terminal);
  const asked = rulesOf(options);
  const rules = options.add === true ? [...(await otherRules(context, service, asked)), ...asked] : asked;
  const body = {
    service,
    provider,
    ...(plainToken === true ? { proof: 'token' } : {}),
    ...(repository === undefined ? {} : { repository }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(rules.length === 0 ? {} : { rules }),
    ...(poll === undefined ? {} : { pollMinutes: Math.round(poll / 60) }),
    ...secrets,
  };
  const reply = await api.call(connectedReply, { method: 'POST', path: pathOf('git', 'connections'), body });
  output.document(reply);
  const { connection } = reply;
  if (output.quiet) output.print(connection.id);
  else {
    output.print(`${connection.id}: ${printable(connection.repository)} deploys ${service}`);
    for (const { service: name, rules: own } of connection.services) {
      for (const rule of own) output.print(`  ${ruleLine(name, rule)}`);
    }
  }
  tellHook(context, reply, 'Add a webhook for pushes and tags at the git host:');
  return exitCode('ok');
}

/** Rules that the service has, without those that the asked ones replace. @throws CliFailure without a rule to add */
async function otherRules(context: CliContext, service: string, asked: readonly Rule[]): Promise<readonly Rule[]> {
  if (asked.length === 0) throw usageFailure('--add is about a branch or tag.', 'Name it: `--branch uat --to uat`.');
  const found = (await connectionOf(context, service))?.services.find((one) => one.service === service);
  const target = ({ kind, pattern, environment }: Rule) => JSON.stringify([kind, pattern, environment]);
  const replaced = new Set(asked.map(target));
  return (found?.rules ?? []).filter((rule) => !replaced.has(target(rule)));
}

function rulesOf({ branch, tag, to: environment, watch }: ConnectOptions): readonly Rule[] {
  const of = (kind: string) => (pattern: string) => ({ kind, pattern, environment, paths: [...watch] });
  const rules = [...branch.map(of('branch')), ...tag.map(of('tag'))];
  if (rules.length > 0 || (watch.length === 0 && environment === 'prod')) return rules;
  throw usageFailure('--watch and --to are about a branch or tag.', 'Name it: `--branch main`.');
}

function ruleLine(service: string, { kind, pattern, environment, paths }: Rule): string {
  const watched = paths.length === 0 ? '' : `, when ${paths.join(', ')} changes`;
  return printable(`${kind} ${pattern} → ${service} in ${environment}${watched}`);
}

/** What is to be done at the git host, with a secret that is shown this once. */
function tellHook(
  { output }: CliContext,
  { connection, secret, hookProblem }: z.infer<typeof connectedReply>,
  whatToDo: string,
): void {
  if (connection.canDeliver === false) {
    const often =
      connection.pollMinutes == null ? 'It is not polled' : `It is polled every ${connection.pollMinutes} minutes`;
    output.print(`${often}: nothing can deliver its pushes.`);
    return;
  }
  if (hookProblem != null) {
    output.note(`The hook could not be registered: ${printable(hookProblem.message)}`);
    output.note(`To try again, also with another token: \`fairlead git token ${connection.id}\``);
  } else if (connection.hookRegistered && secret == null) {
    output.print(`The hook is registered at ${connection.provider}.`);
    return;
  }
  if (connection.verifiedAt != null && secret == null) return;
  const kind = connection.provider === 'gitlab' && connection.proof === 'signature' ? 'Signing token' : 'Secret';
  output.print(whatToDo);
  output.print(`  Address       ${connection.hookUrl}`);
  output.print('  Content type  application/json');
  if (secret != null) output.print(`  ${kind.padEnd(13)} ${secret}`);
  if (connection.proof === 'token') {
    output.note('The plain token of GitLab proves who sends, and nothing about what was sent: prefer signatures.');
  }
  const shown = secret == null ? 'The secret was shown when it was made.' : 'The secret is not shown again.';
  output.note(`${shown} \`fairlead git rotate ${connection.id}\` makes another one.`);
}

/** `fairlead git look [connection]`. */
export async function look(
  context: CliContext,
  given: string | undefined,
  { ref }: { readonly ref?: string },
): Promise<number> {
  const { output, api } = context;
  const { id } = await findConnection(context, given);
  const reply = z.looseObject({ deliveryId: z.string() });
  const body = ref === undefined ? {} : { ref };
  const accepted = await api.call(reply, { method: 'POST', path: pathOf('git', 'connections', id, 'look'), body });
  output.document(accepted);
  if (output.quiet) output.print(accepted.deliveryId);
  else output.print(`${id} is looked at as ${accepted.deliveryId}`);
  output.note(`What came of it: \`fairlead git deliveries ${id}\``);
  return exitCode('ok');
}

/** `fairlead git rotate [connection]`. */
export async function rotate(
  context: CliContext,
  given: string | undefined,
  options: { readonly finish?: boolean; readonly secret?: boolean },
): Promise<number> {
  const { output, api, terminal } = context;
  if (options.finish === true && options.secret === true) throw usageFailure('--finish makes no new secret.');
  const { id } = await findConnection(context, given);
  const secrets = await readSecrets(options.secret === true ? ['secret'] : [], terminal);
  const body = { finish: options.finish === true, ...secrets };
  const path = pathOf('git', 'connections', id, 'rotate');
  const reply = await api.call(connectedReply, { method: 'POST', path, body });
  output.document(reply);
  if (options.finish === true) output.print(`${id} takes its newest secret alone`);
  else {
    output.print(`${id} takes two secrets`);
    tellHook(context, reply, 'Change the secret of the webhook at the git host:');
    output.note(`Once the git host signs with the new one: \`fairlead git rotate ${id} --finish\``);
  }
  return exitCode('ok');
}

/** `fairlead git pause|resume [connection]`. */
export async function setPaused(context: CliContext, given: string | undefined, paused: boolean): Promise<number> {
  const { connection } = await change(context, given, { paused });
  context.output.print(paused ? `${connection.id} is paused` : `${connection.id} deploys again`);
  if (!paused) context.output.note(`What was pushed meanwhile deploys by \`fairlead git look ${connection.id}\``);
  return exitCode('ok');
}

/** `fairlead git poll [connection] --every 5m|--off`. */
export async function poll(
  context: CliContext,
  given: string | undefined,
  { every, off }: { readonly every?: number; readonly off?: boolean },
): Promise<number> {
  if (every === undefined && off !== true) throw usageFailure('Say how often: `--every 5m`, or `--off`.');
  const pollMinutes = every === undefined ? null : Math.round(every / 60);
  const { connection } = await change(context, given, { pollMinutes });
  const told = pollMinutes === null ? 'is not polled' : `is polled every ${pollMinutes} minutes`;
  context.output.print(`${connection.id} ${told}`);
  return exitCode('ok');
}

/** `fairlead git token [connection]`. */
export async function setToken(
  context: CliContext,
  given: string | undefined,
  { remove }: { readonly remove?: boolean },
): Promise<number> {
  const token = remove === true ? null : ((await readSecrets(['token'], context.terminal)).token ?? null);
  const reply = await change(context, given, { token });
  const told = token === null ? 'has no token' : 'has another token';
  context.output.print(`${reply.connection.id} ${told}`);
  if (token !== null) tellHook(context, reply, 'Add a webhook for pushes and tags at the git host:');
  return exitCode('ok');
}

async function change({ ...context }: CliContext, given: string | undefined, body: object) {
  const { id } = await findConnection(context, given);
  const path = pathOf('git', 'connections', id);
  const reply = await context.api.call(connectedReply, { method: 'PATCH', path, body });
  context.output.document(reply);
  return reply;
}

/** `fairlead git disconnect [connection]`. */
export async function disconnect(
  context: CliContext,
  given: string | undefined,
  options: { readonly yes?: boolean },
): Promise<number> {
  const { output, api } = context;
  const connection = await findConnection(context, given);
  const { id, repository, services, hasToken, canDeliver, hookUrl } = connection;
  const names = services.map(({ service }) => service).join(', ');
  const address = printable(repository);
  const question = `After this, a push to ${address} deploys nothing. ${names}: what runs goes on running. The list of deliveries is deleted.`;
  await confirm(context, options, { text: question, command: `git disconnect ${id}` });
  const reply = z.looseObject({ hookProblem: problemReply });
  const gone = await api.call(reply, { method: 'DELETE', path: pathOf('git', 'connections', id) });
  output.document(gone);
  output.print(`${id} is disconnected: a push to ${address} deploys nothing any more.`);
  if (gone.hookProblem != null) {
    output.note(`Its webhook is still at the git host: ${printable(gone.hookProblem.message)}`);
    output.note(`If it stays, delete it there by hand: ${hookUrl}`);
  } else if (!hasToken && canDeliver !== false) {
    output.note(`Delete its webhook at the git host by hand, if you added one: ${hookUrl}`);
  }
  return exitCode('ok');
}

/** A connection by its id, or the one that deploys a service. @throws CliFailure with exit `notFound` */
export async function findConnection(context: CliContext, given: string | undefined): Promise<ConnectionReply> {
  const { api } = context;
  if (given?.startsWith('gcn_') === true) {
    return await api.call(connectionReply, { method: 'GET', path: pathOf('git', 'connections', given) });
  }
  const service = await serviceName(context, given);
  const found = await connectionOf(context, service);
  if (found !== undefined) return found;
  throw new CliFailure('NOT_FOUND', `No repository is connected that deploys ${service}.`, {
    exit: 'notFound',
    remedy: `See all: \`fairlead git list\`. Connect one: \`fairlead git connect ${service} --provider github\`, or with gitea, forgejo or gitlab`,
  });
}

async function connectionOf({ api }: CliContext, service: string): Promise<ConnectionReply | undefined> {
  const page = await readPages(api, connectionReply, { path: pathOf('git', 'connections'), query: {}, limit: MOST });
  return page.items.find(({ services }) => services.some((one) => one.service === service));
}
