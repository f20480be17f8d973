import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DOMAIN_MODES, type DomainMode } from '../../domain/custom-domains/mode.ts';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

export const domainReply = z.looseObject({
  domain: text,
  service: text,
  environment: text,
  mode: text,
  state: text,
  reason: text.nullish(),
  message: text.nullish(),
  expectedTarget: text,
  resolvedTarget: text.nullish(),
  records: z.array(z.looseObject({ type: text, name: text, value: text })).default([]),
  replacedRecord: z.looseObject({ type: text, content: text }).nullish(),
  observedAt: text.nullish(),
  certificate: z.looseObject({ expiresAt: text.nullish(), servedAt: text.nullish() }).nullish(),
});
const removedReply = z.looseObject({ domain: text, state: text });

type DomainReply = z.infer<typeof domainReply>;

interface AddOptions extends Partial<Readonly<Record<DomainMode, boolean>>> {
  readonly service?: string;
  readonly overwrite?: boolean;
  /** Absent: as it is. */
  readonly canonical?: boolean;
  readonly hsts?: boolean;
  readonly wait?: boolean;
}

/** `fairlead domain add <name>`. */
export async function addDomain(context: CliContext, domain: string, options: AddOptions): Promise<number> {
  const { api, environment, output } = context;
  const service = await serviceName(context, options.service);
  const mode = DOMAIN_MODES.find((one) => options[one] === true) ?? 'direct';
  const overwriteExistingRecord = options.overwrite === true;
  const { canonical, hsts } = options;
  const body = { service, environment, domain, mode, overwriteExistingRecord, canonical, hsts };
  const added = await api.call(domainReply, { method: 'POST', path: pathOf('domains', 'add'), body });
  if (added.replacedRecord != null) {
    output.note(`It took the place of ${printable(`${added.replacedRecord.type} ${added.replacedRecord.content}`)}`);
  }
  return await told(context, added, options.wait === true);
}

/** `fairlead domain verify <name>`. */
export async function verifyDomain(
  context: CliContext,
  domain: string,
  { wait }: { readonly wait?: boolean },
): Promise<number> {
  const looked = await context.api.call(domainReply, { method: 'POST', path: pathOf('domains', domain, 'verify') });
  return await told(context, looked, wait === true);
}

/** `fairlead domain status <name>`. */
export async function showDomain(context: CliContext, domain: string): Promise<number> {
  return tell(context, await readStatus(context, domain));
}

/** `fairlead domain doctor <name>`: exit `failed` for a name that is not served. */
export async function examineDomain(context: CliContext, domain: string): Promise<number> {
  const { output } = context;
  const found = await readStatus(context, domain);
  output.document(found);
  if (output.quiet) output.print(found.state);
  else {
    output.print(`expected: ${printable(found.expectedTarget)}`);
    output.print(`seen: ${printable(found.resolvedTarget ?? 'nothing')}`);
    for (const said of (found.reason ?? '').split('; ').filter(Boolean)) output.print(`  ${printable(said)}`);
    tellRecords(context, found);
    output.print(found.state === 'active' ? `${found.domain} is served` : nextStep(found));
  }
  return exitCode(found.state === 'active' ? 'ok' : 'failed');
}

/** `fairlead domain list`. */
export async function listDomains(
  context: CliContext,
  { service, limit }: { readonly service?: string; readonly limit: number },
): Promise<number> {
  const { api, output, now } = context;
  const page = await readPages(api, domainReply, { path: pathOf('domains'), query: { service }, limit });
  output.document(page);
  if (output.quiet) for (const { domain } of page.items) output.print(domain);
  else if (page.items.length === 0) {
    output.print('There are no names. To add one: `fairlead domain add <name>`');
  } else {
    output.table(
      [
        { title: 'NAME' },
        { title: 'STATE' },
        { title: 'SERVICE' },
        { title: 'ENVIRONMENT' },
        { title: 'MODE' },
        { title: 'SEEN' },
        { title: 'REASON', shrinks: true },
      ],
      page.items.map((one) => [
        { text: printable(one.domain), tone: 'bold' },
        { text: one.state, tone: toneOf(one.state) },
        { text: one.service },
        { text: one.environment },
        { text: one.mode },
        { text: one.observedAt == null ? '' : formatAge(one.observedAt, now()), tone: 'dim' },
        { text: printable(one.reason ?? '') },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead domain remove <name>`. */
export async function removeDomain(
  context: CliContext,
  domain: string,
  options: { readonly yes?: boolean },
): Promise<number> {
  const { api, output } = context;
  const found = await api.call(domainReply, { method: 'GET', path: pathOf('domains', domain, 'status') });
  const consequence = `${printable(found.domain)} will lead to ${found.service} (${found.environment}) no more. Its certificate and its callback of the OAuth client go with it.`;
  await confirm(context, options, { text: consequence, command: `domain remove ${found.domain}` });
  const removed = await api.call(removedReply, { method: 'DELETE', path: pathOf('domains', found.domain) });
  output.document(removed);
  output.print(`${printable(removed.domain)} is ${removed.state === 'removed' ? 'removed' : 'being removed'}`);
  return exitCode('ok');
}

async function readStatus({ api }: CliContext, domain: string): Promise<DomainReply> {
  return await api.call(domainReply, { method: 'GET', path: pathOf('domains', domain, 'status') });
}

const POLL_MS = 3_000;

/** Waits until a name is served, or nobody looks at it any more, where that is asked for. */
async function told(context: CliContext, first: DomainReply, isWaiting: boolean): Promise<number> {
  const { output } = context;
  if (!isWaiting) return tell(context, first);
  const left = {
    message: `${first.domain} is looked at by itself, for 30 days.`,
    remedy: `See how it is: \`fairlead domain status ${first.domain}\``,
  };
  const ended = await interruptible(left, async (signal) => {
    let found = first;
    let shown = '';
    while (found.state !== 'active' && found.state !== 'failed') {
      const line = `${found.state}: ${printable(found.reason ?? found.message ?? '')}`;
      if (line !== shown) output.note(line);
      shown = line;
      await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      found = await readStatus(context, first.domain);
      signal.throwIfAborted();
    }
    return found;
  });
  return tell(context, ended);
}

function tell(context: CliContext, found: DomainReply): number {
  const { output } = context;
  output.document(found);
  if (output.quiet) output.print(found.state);
  else {
    output.print(`${printable(found.domain)} of ${found.service} (${found.environment}): ${found.state}`);
    if (found.reason != null) output.print(printable(found.reason));
    tellCertificate(context, found);
    tellRecords(context, found);
    if (found.state !== 'active') output.print(nextStep(found));
  }
  return exitCode(found.state === 'failed' ? 'failed' : 'ok');
}

function tellCertificate({ output, now }: CliContext, { certificate }: DomainReply): void {
  if (certificate?.expiresAt == null) return;
  const { expiresAt, servedAt } = certificate;
  const seen = servedAt == null ? 'not seen served yet' : `seen served ${formatAge(servedAt, now())}`;
  output.print(printable(`its certificate is good until ${expiresAt}, ${seen}`));
}

/** As lines of a zone file, to be pasted at the DNS provider. */
function tellRecords({ output }: CliContext, { records, state }: DomainReply): void {
  if (state === 'active') return;
  for (const { type, name, value } of records) {
    const content = type === 'TXT' ? JSON.stringify(value) : type === 'CNAME' ? `${value}.` : value;
    output.print(printable(`${name}. ${type} ${content}`));
  }
}

const nextStep = ({ message }: DomainReply): string => printable(message ?? 'It is looked at by itself');

function toneOf(state: string): Tone {
  if (state === 'active') return 'good';
  return state === 'failed' ? 'bad' : 'warn';
}
