import { z } from 'zod';
import type { Environment } from '../../domain/environment.ts';
import type { GitProvider } from '../../domain/git-provider.ts';
import { pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { MOST, noteMore, readPages } from '../read-pages.ts';
import { readSecrets } from '../secret-input.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

const ruleReply = z.looseObject({ kind: text, pattern: text, environment: text, paths: z.array(text) });

const connectionReply = z.looseObject({
  id: text,
  org: text,
  repository: text,
  provider: text,
  proof: text,
  hookUrl: text,
  services: z.array(z.looseObject({ service: text, rules: z.array(ruleReply) })),
  hasToken: z.boolean(),
  tokenProblem: z.looseObject({ code: text, message: text }).nullish(),
  hookRegistered: z.boolean(),
  paused: z.boolean(),
  pollMinutes: z.number().nullish(),
  verifiedAt: text.nullish(),
});

type ConnectionReply = z.infer<typeof connectionReply>;

type Rule = Pick<z.infer<typeof ruleReply>, 'kind' | 'pattern' | 'environment' | 'paths'>;

const problemReply = z.looseObject({ code: text, message: text }).nullish();

const connectedReply = z.looseObject({
  connection: connectionReply,
  secret: text.nullish(),
  hookProblem: problemReply,
});

const deliveryReply = z.looseObject({
  id: text,
  kind: text,
  event: text,
  ref: text.nullish(),
  login: text.nullish(),
  alreadySeen: z.boolean(),
  receivedAt: text,
  state: text,
  outcomes: z.array(
    z.looseObject({
      reason: text,
      explanation: text,
      ref: text.nullish(),
      service: text.nullish(),
      environment: text.nullish(),
      commit: text.nullish(),
      buildId: text.nullish(),
      message: text.nullish(),
    }),
  ),
});

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

/** `fairlead git list`. */
export async function listConnections({ output, api, now }: CliContext, { limit }: { readonly limit: number }) {
  const page = await readPages(api, connectionReply, { path: pathOf('git', 'connections'), query: {}, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('No repository is connected. Connect one: `fairlead git connect`');
  else {
    output.table(
      [
        { title: 'CONNECTION' },
        { title: 'STATE' },
        { title: 'REPOSITORY', shrinks: true },
        { title: 'DEPLOYS', shrinks: true },
        { title: 'VERIFIED' },
      ],
      page.items.map((connection) => [
        { text: connection.id, tone: 'bold' },
        stateOf(connection),
        { text: connection.repository },
        { text: connection.services.map(({ service }) => service).join(', ') },
        { text: connection.verifiedAt == null ? 'never' : formatAge(connection.verifiedAt, now()), tone: 'dim' },
      ]),
    );
  }
  for (const { id, tokenProblem, proof } of page.items) {
    if (tokenProblem != null) output.note(`${id}: statuses are not set: ${printable(tokenProblem.message)}`);
    if (proof === 'token') output.note(`${id}: deliveries prove themselves by a plain token, which is weaker.`);
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

function stateOf({ paused, pollMinutes, verifiedAt }: ConnectionReply): {
  readonly text: string;
  readonly tone?: Tone;
} {
  if (paused) return { text: 'paused', tone: 'warn' };
  if (pollMinutes != null) return { text: `polls every ${pollMinutes}m` };
  return verifiedAt == null ? { text: 'no delivery yet', tone: 'warn' } : { text: 'delivers', tone: 'good' };
}

const GOOD: ReadonlySet<string> = new Set(['deployed', 'attached', 'ping']);
const BAD: ReadonlySet<string> = new Set(['source_refused', 'source_unreachable', 'build_refused']);

/** `fairlead git deliveries [connection]`. */
export async function listDeliveries(
  context: CliContext,
  given: string | undefined,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { output, api, now } = context;
  const { id } = await findConnection(context, given);
  const path = pathOf('git', 'connections', id, 'deliveries');
  const page = await readPages(api, deliveryReply, { path, query: {}, limit });
  output.document(page);
  if (output.quiet) for (const delivery of page.items) output.print(delivery.id);
  else if (page.items.length === 0) output.print('Nothing was delivered in the last thirty days.');
  else {
    output.table(
      [
        { title: 'WHEN' },
        { title: 'EVENT' },
        { title: 'REF', shrinks: true },
        { title: 'BY' },
        { title: 'RESULT' },
        { title: 'WHY', shrinks: true },
      ],
      page.items.flatMap((delivery) => deliveryRows(delivery, now())),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

function deliveryRows(delivery: z.infer<typeof deliveryReply>, now: Date) {
  const { receivedAt, event, ref, login, alreadySeen, outcomes } = delivery;
  const seen = alreadySeen ? ' (seen before)' : '';
  const lead = [
    { text: formatAge(receivedAt, now), tone: 'dim' as Tone },
    { text: event + seen },
    { text: shortRef(ref) },
    { text: login ?? '' },
  ];
  if (outcomes.length === 0) return [[...lead, { text: 'waiting', tone: 'warn' as Tone }, { text: '' }]];
  return outcomes.map((outcome, index) => [
    ...(index === 0 ? lead : lead.map(() => ({ text: '' }))),
    {
      text: outcome.reason,
      ...(GOOD.has(outcome.reason) && { tone: 'good' as Tone }),
      ...(BAD.has(outcome.reason) && { tone: 'bad' as Tone }),
    },
    { text: whyOf(outcome) },
  ]);
}

function whyOf(outcome: z.infer<typeof deliveryReply>['outcomes'][number]): string {
  const { service, environment, buildId, commit, message, explanation } = outcome;
  const where = service == null ? '' : `${service} in ${environment ?? ''}: `;
  const what = buildId ?? message ?? explanation;
  return `${where}${what}${commit == null ? '' : ` (${commit.slice(0, 7)})`}`;
}

function shortRef(ref: string | null | undefined): string {
  return (ref ?? '').replace(/^refs\/(heads|tags)\//, '');
}

/** `fairlead git look [connection]`. */
export async function look(
  context: CliContext,
  given: string | undefined,
  { ref }: { readonly ref?: string },
): Promise<number> {
  const { output, api } = context;
  const { id } = await findConnection(context, given);
  const reply = z.looseObject({ deliveryId: text });
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
  const { id, repository, services } = await findConnection(context, given);
  const names = services.map(({ service }) => service).join(', ');
  const question = `Pushes to ${printable(repository)} deploy ${names} no more.`;
  await confirm(context, options, { text: question, command: `git disconnect ${id}` });
  const reply = z.looseObject({ hookProblem: problemReply });
  const gone = await api.call(reply, { method: 'DELETE', path: pathOf('git', 'connections', id) });
  output.document(gone);
  output.print(`${id} is disconnected`);
  if (gone.hookProblem != null) {
    output.note(`Remove the hook at the git host by hand: ${printable(gone.hookProblem.message)}`);
  }
  return exitCode('ok');
}

/** A connection by its id, or the one that deploys a service. @throws CliFailure with exit `notFound` */
async function findConnection(context: CliContext, given: string | undefined): Promise<ConnectionReply> {
  const { api } = context;
  if (given?.startsWith('gcn_') === true) {
    return await api.call(connectionReply, { method: 'GET', path: pathOf('git', 'connections', given) });
  }
  const service = await serviceName(context, given);
  const found = await connectionOf(context, service);
  if (found !== undefined) return found;
  throw new CliFailure('NOT_FOUND', `No repository is connected that deploys ${service}.`, {
    exit: 'notFound',
    remedy: `See all: \`fairlead git list\`. Connect one: \`fairlead git connect ${service}\``,
  });
}

async function connectionOf({ api }: CliContext, service: string): Promise<ConnectionReply | undefined> {
  const page = await readPages(api, connectionReply, { path: pathOf('git', 'connections'), query: {}, limit: MOST });
  return page.items.find(({ services }) => services.some((one) => one.service === service));
}
