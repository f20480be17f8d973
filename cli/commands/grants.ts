import { z } from 'zod';
import type { GrantDecision, GrantStatus } from '../../domain/grants/grant.ts';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();
const party = z.looseObject({ name: text, org: text });

const grantReply = z.looseObject({
  id: text,
  holder: party,
  environment: text,
  target: party,
  scopes: z.array(text),
  granted: z.array(text),
  status: text,
  revision: z.number(),
  requestedAt: text.nullish(),
  decidedBy: text.nullish(),
});

type GrantReply = z.infer<typeof grantReply>;

/** What the service that asks has of it, by the state of the grant. */
const DOES: Readonly<Record<string, string>> = {
  pending: 'asks for',
  denied: 'does not get',
  revoked: 'no longer has',
};

const TONES: Readonly<Record<string, Tone>> = { pending: 'warn', approved: 'good', denied: 'bad', revoked: 'bad' };

/** `fairlead grants list`. */
export async function listGrants(
  { output, api, now }: CliContext,
  { status, limit }: { readonly status?: GrantStatus; readonly limit: number },
): Promise<number> {
  const page = await readPages(api, grantReply, { path: pathOf('grants'), query: { status }, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('No service asks for scopes of a service of another org.');
  else {
    output.table(
      [
        { title: 'GRANT' },
        { title: 'STATE' },
        { title: 'SERVICE', shrinks: true },
        { title: 'ENV' },
        { title: 'SCOPES', shrinks: true },
        { title: 'DECIDES' },
        { title: 'ASKED' },
      ],
      page.items.map((grant) => [
        { text: grant.id, tone: 'bold' },
        { text: grant.status, ...toneOf(grant.status) },
        { text: `${grant.holder.name} (${grant.holder.org})` },
        { text: grant.environment },
        { text: grant.scopes.join(', ') },
        { text: grant.target.org },
        { text: formatAge(grant.requestedAt, now()), tone: 'dim' },
      ]),
    );
  }
  if (page.items.some((grant) => grant.status === 'pending')) {
    output.note(
      'An admin of the org that decides: `fairlead grants approve <grant>`, or `fairlead grants deny <grant>`',
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead grants request <target> <scope…>`. */
export async function requestGrant(
  context: CliContext,
  { target, scopes, service: given }: { target: string; scopes: readonly string[]; service: string | undefined },
): Promise<number> {
  const { output, api, environment } = context;
  const service = await serviceName(context, given);
  const body = { environment, service: target, scopes: [...scopes] };
  const grant = await api.call(grantReply, { method: 'POST', path: pathOf('services', service, 'grants'), body });
  output.document(grant);
  if (output.quiet) output.print(grant.id);
  else output.print(told(grant));
  if (grant.status === 'pending') {
    output.note(`An admin of ${grant.target.org} decides: \`fairlead grants approve ${grant.id}\``);
  }
  return exitCode('ok');
}

const ASKED: Readonly<Partial<Record<GrantDecision, (grant: GrantReply) => string>>> = {
  approve: (grant) => `${ofHolder(grant)} gets ${printable(grant.scopes.join(', '))}.`,
  revoke: (grant) => `${ofHolder(grant)} loses ${printable(grant.granted.join(', '))}: its next token lacks them.`,
};

/** `fairlead grants approve|deny|revoke <grant>`: what is shown is what is decided; a list that changed meanwhile is refused. */
export async function decideGrant(
  context: CliContext,
  decision: GrantDecision,
  id: string,
  options: { readonly yes?: boolean },
): Promise<number> {
  const { output, api } = context;
  const seen = await api.call(grantReply, { method: 'GET', path: pathOf('grants', id) });
  const question = ASKED[decision]?.(seen);
  if (question !== undefined) await confirm(context, options, { text: question, command: `grants ${decision} ${id}` });
  const path = pathOf('grants', id, decision);
  const grant = await api.call(grantReply, { method: 'POST', path, body: { revision: seen.revision } });
  output.document(grant);
  output.print(told(grant));
  if (decision === 'approve')
    output.note(
      `A deploy of ${grant.holder.name} that waits for it goes on now. Where none waits, ${grant.holder.org} deploys it again.`,
    );
  return exitCode('ok');
}

function told(grant: GrantReply): string {
  const [verb, scopes] =
    grant.status === 'approved' ? ['has', grant.granted] : [DOES[grant.status] ?? 'asks for', grant.scopes];
  return `${grant.id} is ${grant.status}: ${ofHolder(grant)} ${verb} ${printable(scopes.join(', '))}`;
}

function ofHolder({ holder, environment }: GrantReply): string {
  return `${holder.name} of ${holder.org} in ${environment}`;
}

function toneOf(status: string): { readonly tone?: Tone } {
  const tone = TONES[status];
  return tone === undefined ? {} : { tone };
}
