import { z } from 'zod';
import type { RepoRole } from '../../domain/repo-role.ts';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { namePeople } from '../name-people.ts';
import { noteMore, readPages } from '../read-pages.ts';
import type { Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

const sharingReply = z.looseObject({
  service: text,
  owner: text,
  revision: z.number(),
  authorizedOrgs: z.array(z.looseObject({ orgSlug: text, repoRole: text, authorizedBy: text, authorizedAt: text })),
});

const deauthorizedReply = sharingReply.extend({
  openBuilds: z.array(text),
  clients: z.array(text).default([]),
  deployAgain: z.array(text).default([]),
});

const changeReply = z.looseObject({
  id: text,
  change: text,
  orgSlug: text,
  repoRole: text.nullable(),
  changedBy: text,
  at: text,
});

const CHANGES: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  authorized: { text: 'authorized', tone: 'good' },
  repo_role_changed: { text: 'repo role changed', tone: 'warn' },
  deauthorized: { text: 'deauthorized', tone: 'bad' },
};

interface Named {
  readonly service: string;
  readonly org: string;
}

const listPath = (service: string): string => pathOf('services', service, 'authorized-orgs');

/** `fairlead services authorized-orgs <service>`. */
export async function showAuthorizedOrgs(context: CliContext, service: string): Promise<number> {
  const { output, api, now } = context;
  const sharing = await api.call(sharingReply, { method: 'GET', path: listPath(service) });
  output.document(sharing);
  if (output.quiet) for (const { orgSlug } of sharing.authorizedOrgs) output.print(orgSlug);
  else {
    output.print(`${sharing.service} is owned by ${sharing.owner}`);
    if (sharing.authorizedOrgs.length === 0) output.print('No other org shares it.');
    else {
      const by = sharing.authorizedOrgs.map(({ authorizedBy }) => authorizedBy);
      const who = await namePeople(context, by, sharing.owner);
      output.table(
        [{ title: 'ORG' }, { title: 'REPO ROLE' }, { title: 'BY', shrinks: true }, { title: 'SINCE' }],
        sharing.authorizedOrgs.map(({ orgSlug, repoRole, authorizedBy, authorizedAt }) => [
          { text: orgSlug, tone: 'bold' },
          { text: repoRole },
          { text: who(authorizedBy) },
          { text: formatAge(authorizedAt, now()), tone: 'dim' },
        ]),
      );
    }
  }
  return exitCode('ok');
}

/** `fairlead services authorized-orgs <service> --history`. */
export async function showSharingHistory(
  context: CliContext,
  service: string,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { output, api, now } = context;
  const page = await readPages(api, changeReply, {
    path: pathOf('services', service, 'authorized-orgs', 'history'),
    query: {},
    limit,
  });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('No org was ever let in.');
  else {
    const who = await namePeople(
      context,
      page.items.map(({ changedBy }) => changedBy),
    );
    output.table(
      [
        { title: 'ORG' },
        { title: 'CHANGE' },
        { title: 'REPO ROLE' },
        { title: 'BY', shrinks: true },
        { title: 'WHEN' },
      ],
      page.items.map(({ orgSlug, change, repoRole, changedBy, at }) => [
        { text: orgSlug, tone: 'bold' },
        CHANGES[change] ?? { text: change },
        { text: repoRole ?? '' },
        { text: who(changedBy) },
        { text: formatAge(at, now()), tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead services authorize-org <service> <org>`. */
export async function authorizeOrg(
  { output, api }: CliContext,
  { service, org }: Named,
  { repoRole }: { readonly repoRole?: RepoRole },
): Promise<number> {
  const body = { orgSlug: org, ...(repoRole === undefined ? {} : { repoRole }) };
  const sharing = await api.call(sharingReply, { method: 'POST', path: listPath(service), body });
  output.document(sharing);
  const entry = sharing.authorizedOrgs.find(({ orgSlug }) => orgSlug === org);
  // No question: it is taken back as easily.
  output.print(
    `${org} is authorized for ${sharing.service}, with the role ${entry?.repoRole ?? 'none'} on its repository`,
  );
  return exitCode('ok');
}

/** `fairlead services deauthorize-org <service> <org>`. */
export async function deauthorizeOrg(
  context: CliContext,
  { service, org }: Named,
  options: { readonly yes?: boolean },
): Promise<number> {
  const { output, api } = context;
  await confirm(context, options, {
    text: `${org} deploys and manages ${service} no more, and its services lose the scopes of it that no grant gives them. What it added to clients of ${service} is removed, and their tokens are void.`,
    command: `services deauthorize-org ${service} ${org}`,
  });
  const path = pathOf('services', service, 'authorized-orgs', org);
  const sharing = await api.call(deauthorizedReply, { method: 'DELETE', path });
  output.document(sharing);
  output.print(`${org} is not authorized for ${sharing.service} any more`);
  for (const build of sharing.openBuilds)
    output.note(`Its build ${build} goes on. To stop it: \`fairlead cancel ${build}\``);
  output.note(`Its services lose the scopes of ${sharing.service} that no grant gives them.`);
  output.note('It could read every secret of the service: change those at their source.');
  for (const client of sharing.clients) {
    output.note(
      `Secrets and redirect URIs that it added to ${client} are removed, and the tokens of ${client} are void.`,
    );
    output.note(`Those without an org stay: \`fairlead oauth get ${client}\` names who added which`);
    output.note(`To void every secret of it: \`fairlead oauth regenerate-secret ${client}\`, and deploy at once`);
  }
  for (const client of sharing.deployAgain) {
    output.note(`It asked for the secret of ${client} that ${sharing.service} has: deploy at once, to replace it`);
  }
  return exitCode('ok');
}
