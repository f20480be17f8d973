import { z } from 'zod';
import { actingOrg, type OrgOption, orgPath, tokenClaims } from '../acting-org.ts';
import { type ApiClient, pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { requireChanges } from '../option-values.ts';
import { grantReply, meReply, type OrgReply, orgEventReply, orgReply } from '../people-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printFields } from '../terminal/fields.ts';
import { formatAge, formatMoment } from '../terminal/times.ts';

const openGrants = z.looseObject({ items: z.array(grantReply) });

/** `fairlead orgs`: those the caller is in, each good for `orgs use`; with `all`, and for a key, every one that they may see. */
export async function listOrgs(context: CliContext, options: { limit: number; all?: boolean }): Promise<number> {
  const { output, connection } = context;
  const { credential } = connection;
  const claims = credential?.kind === 'login' ? tokenClaims(credential.login) : null;
  const seesAll = claims?.roles.includes('super_admin') === true;
  const provider = await context.provider();
  const path = pathOf('api', 'v2', 'orgs');
  const page =
    seesAll && options.all !== true
      ? { items: await ownOrgs(provider), nextCursor: null }
      : await readPages(provider, orgReply, { path, limit: options.limit });
  output.document(page);
  const acting = claims?.orgSlug ?? null;
  if (output.quiet) for (const org of page.items) output.print(org.slug);
  else if (page.items.length === 0) output.print('You are not in an org. Ask an org admin for an invitation.');
  else {
    output.table(
      [{ title: 'ORG' }, { title: 'NAME', shrinks: true }, { title: 'MODULES', shrinks: true }, { title: '' }],
      page.items.map((org) => [
        { text: org.slug, tone: 'bold' },
        { text: org.name },
        { text: org.modules.join(', ') },
        stateOf(org, acting),
      ]),
    );
  }
  noteMore(output, page, options.limit);
  if (seesAll && options.all !== true)
    output.note('These are yours. All of the installation: `fairlead orgs list --all`');
  return exitCode('ok');
}

/** The orgs that the person is in: a platform admin sees others, and acts in none of them. */
async function ownOrgs(provider: ApiClient): Promise<OrgReply[]> {
  const me = await provider.call(meReply, { method: 'GET', path: pathOf('api', 'v2', 'me') });
  const slugs = me.orgs.map(({ orgSlug }) => orgSlug).sort();
  return await Promise.all(slugs.map((slug) => provider.call(orgReply, { method: 'GET', path: orgPath(slug) })));
}

function stateOf(org: OrgReply, acting: string | null) {
  if (org.suspendedAt != null) return { text: 'suspended', tone: 'bad' } as const;
  return { text: org.slug === acting ? 'yours now' : '', tone: 'good' } as const;
}

/** `fairlead orgs show [org]`. */
export async function showOrg(context: CliContext, given: string | undefined): Promise<number> {
  const slug = actingOrg(context.connection, given);
  const provider = await context.provider();
  printOrg(context, await provider.call(orgReply, { method: 'GET', path: orgPath(slug) }));
  return exitCode('ok');
}

/** `fairlead orgs create <slug>`: for the platform. */
export async function createOrg(context: CliContext, fields: Readonly<Record<string, unknown>>): Promise<number> {
  const provider = await context.provider();
  const org = await provider.call(orgReply, { method: 'POST', path: pathOf('api', 'v2', 'orgs'), body: fields });
  const { output } = context;
  output.document(org);
  output.print(output.quiet ? org.slug : `Created ${output.paint('bold', org.slug)}`);
  output.note(`It has no members yet. Invite its first admin: fairlead invite <email> --role admin --org ${org.slug}`);
  return exitCode('ok');
}

/** `fairlead orgs update [org]`: only what was given changes. */
export async function updateOrg(
  context: CliContext,
  given: string | undefined,
  fields: Readonly<Record<string, unknown>>,
): Promise<number> {
  requireChanges(fields, 'orgs update');
  const slug = actingOrg(context.connection, given);
  const provider = await context.provider();
  printOrg(context, await provider.call(orgReply, { method: 'PATCH', path: orgPath(slug), body: fields }));
  return exitCode('ok');
}

/** `fairlead orgs suspend <org>` and `restore <org>`: for the platform. */
export async function suspendOrg(
  context: CliContext,
  slug: string,
  suspended: boolean,
  options: { yes?: boolean },
): Promise<number> {
  if (suspended) {
    const text = `Suspending ${slug} ends the tokens of its services and members, until it is restored.`;
    await confirm(context, options, { text, command: `orgs suspend ${slug}` });
  }
  const provider = await context.provider();
  printOrg(context, await provider.call(orgReply, { method: 'PATCH', path: orgPath(slug), body: { suspended } }));
  return exitCode('ok');
}

/** `fairlead orgs audit [org]`: what was changed in it, newest first. */
export async function orgAudit(
  context: CliContext,
  given: string | undefined,
  { type, limit }: { type?: string; limit: number },
): Promise<number> {
  const { output } = context;
  const path = orgPath(actingOrg(context.connection, given), 'audit-events');
  const page = await readPages(await context.provider(), orgEventReply, { path, query: { type }, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('No such events.');
  else {
    output.table(
      [{ title: 'TIME' }, { title: 'TYPE' }, { title: 'SUBJECT', shrinks: true }, { title: 'ACTOR', shrinks: true }],
      page.items.map((event) => [
        { text: formatMoment(event.time) },
        { text: event.type, tone: 'bold' },
        { text: event.subject },
        { text: event.actor },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead orgs use <org>`: the org that one's logins, here and elsewhere, act in from now on. */
export async function useOrg(context: CliContext, slug: string): Promise<number> {
  const { output, connection, credentials, now } = context;
  if (connection.credential?.kind === 'key') {
    throw usageFailure('A key has no org of its own.', 'Log in as yourself: `fairlead login`');
  }
  const provider = await context.provider();
  const body = { primaryOrg: slug };
  const me = await provider
    .call(meReply, { method: 'PATCH', path: pathOf('api', 'v2', 'me'), body })
    .catch((error: unknown) => Promise.reject(notYours(error, slug)));
  // The token at hand names the org before: the next command must not use it.
  const stored = credentials.find(connection.api);
  if (stored !== null) {
    const { freshLogin } = await import('../login/fresh-login.ts');
    await freshLogin(connection.api, credentials, now, stored.accessToken);
  }
  const roles = me.orgs.find(({ orgSlug }) => orgSlug === slug)?.roles ?? [];
  output.document({ primaryOrg: slug, roles });
  output.print(output.quiet ? slug : `You act in ${output.paint('bold', slug)} now, as ${roles.join(', ')}`);
  return exitCode('ok');
}

function notYours(error: unknown, slug: string): unknown {
  if (!(error instanceof CliFailure) || error.code !== 'ORG_NOT_FOUND') return error;
  return new CliFailure(error.code, `You are not in an org ${slug}, or it is suspended.`, {
    exit: error.exit,
    remedy: 'Those you are in: `fairlead orgs`. An admin of the org adds you: `fairlead invite <email>`.',
  });
}

/** `fairlead orgs grants [client]`: clients that manage the org's people, or one of them. */
export async function listGrants(
  context: CliContext,
  clientId: string | undefined,
  options: OrgOption,
): Promise<number> {
  const { output, connection, now } = context;
  const slug = actingOrg(connection, options.org);
  const items = await readGrants(await context.provider(), slug, clientId);
  output.document({ items });
  if (output.quiet) for (const { clientId } of items) output.print(clientId);
  else if (items.length === 0) output.print(`No client manages the people of ${slug}.`);
  else {
    output.table(
      [{ title: 'CLIENT' }, { title: 'APPROVED BY', shrinks: true }, { title: 'WHEN' }],
      items.map(({ clientId, approvedBy, approvedAt }) => [
        { text: clientId, tone: 'bold' },
        { text: approvedBy },
        { text: formatAge(approvedAt, now()), tone: 'dim' },
      ]),
    );
  }
  return exitCode('ok');
}

async function readGrants(provider: ApiClient, slug: string, clientId: string | undefined) {
  const path = orgPath(slug, 'grants');
  if (clientId === undefined) return (await provider.call(openGrants, { method: 'GET', path })).items;
  return [await provider.call(grantReply, { method: 'GET', path: orgPath(slug, 'grants', clientId) })];
}

/** `fairlead orgs grant <client>` and `revoke-grant <client>`. */
export async function changeGrant(
  context: CliContext,
  clientId: string,
  method: 'PUT' | 'DELETE',
  options: OrgOption,
): Promise<number> {
  const { output, connection } = context;
  const slug = actingOrg(connection, options.org);
  const path = orgPath(slug, 'grants', clientId);
  output.document(await (await context.provider()).call(z.unknown(), { method, path }));
  const done = method === 'PUT' ? 'manages' : 'does not manage';
  output.print(output.quiet ? clientId : `${clientId} ${done} the people of ${slug} now`);
  return exitCode('ok');
}

function printOrg({ output }: CliContext, org: OrgReply): void {
  output.document(org);
  if (output.quiet) {
    output.print(org.slug);
    return;
  }
  const look = Object.entries(org.whiteLabel ?? {}).filter(([, value]) => value !== null);
  const mails = Object.keys(org.mailTemplates ?? {});
  const policy = policyOf(org);
  printFields(output, [
    ['Org', `${org.slug} (${org.id})`],
    ['Name', org.name],
    ['Modules', org.modules.join(', ')],
    ...look.map(([name, value]) => ['Look', `${name} ${value}`] as const),
    ...(mails.length === 0 ? [] : [['Own mail', mails.join(', ')] as const]),
    ...(policy === '' ? [] : [['Policy', policy] as const]),
    ...(org.suspendedAt == null ? [] : [['Suspended', org.suspendedAt] as const]),
  ]);
}

function policyOf({ policy }: OrgReply): string {
  return [
    policy?.secondFactorRequired === true && 'second factor required',
    policy?.sessionHours != null && `sessions of ${policy.sessionHours} hours`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}
