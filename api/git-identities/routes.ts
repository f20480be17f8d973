import { z } from 'zod';
import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type NamedHost, parseHost } from '../../domain/git-identities/git-host-name.ts';
import { type GitIdentity, MOST_IDENTITIES } from '../../domain/git-identities/git-identity.ts';
import {
  gitIdentityView,
  gitIdentityViewSchema,
  linkGitIdentityBodySchema,
} from '../../domain/git-identities/git-identity-schema.ts';
import type { GitAccounts, GitIdentityStore } from '../../domain/git-identities/ports.ts';
import type { GitProvider } from '../../domain/git-provider.ts';
import type { NewId } from '../../domain/ids.ts';
import type { AllowedCallers } from '../http/allowed-callers.ts';
import type { PersonCaller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';

export interface GitIdentitiesDeps {
  readonly gitIdentities: GitIdentityStore;
  readonly gitAccounts: GitAccounts;
  /** The platform's own git host; null where there is none. */
  readonly platformGitUrl: string | null;
  readonly audit: AuditRecorder | null;
  readonly newId: NewId;
  readonly now: Clock;
}

const tag = 'git';

/** People for themselves: nobody links an account for somebody else. */
const OWNERS = { 'platform-admin': true, user: 'viewer' } as const satisfies AllowedCallers;

/** Accounts at git hosts that people showed to be theirs (the paths are ours). */
export function gitIdentitiesRoutes(deps: GitIdentitiesDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/git/identities',
      summary: 'Your own accounts at git hosts, by host',
      tag,
      callers: OWNERS,
      responses: {
        200: { description: 'All of them', schema: z.object({ items: z.array(gitIdentityViewSchema) }) },
      },
      handle: async (_input, { caller }) => {
        const items = await deps.gitIdentities.listOf(caller.userId);
        return { status: 200, data: { items: items.map(gitIdentityView) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/git/identities',
      summary: 'Link your account at a git host',
      description:
        'The token shows that the account is yours: the host is asked for it once, and the token is not kept. What you had linked at that host is replaced. CONFLICT when somebody else linked the account.',
      tag,
      callers: OWNERS,
      body: linkGitIdentityBodySchema,
      responses: { 201: { description: 'The account', schema: gitIdentityViewSchema } },
      errors: ['GIT_TOKEN_REFUSED', 'NOT_FOUND', 'CONFLICT', 'SOURCE_REFUSED', 'RATE_LIMITED'],
      handle: async ({ body }, context) => ({ status: 201, data: gitIdentityView(await link(deps, context, body)) }),
    }),
    defineRoute({
      method: 'delete',
      path: '/git/identities/:id',
      summary: 'Unlink one of your own accounts',
      tag,
      callers: OWNERS,
      params: z.strictObject({ id: z.string().min(1).max(64) }),
      responses: { 200: { description: 'What it was', schema: gitIdentityViewSchema } },
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }, context) => {
        const identity = await deps.gitIdentities.unlink(context.caller.userId, id);
        if (identity === null) throw new FairleadError('NOT_FOUND', `You have linked no account ${id}`);
        await tell(deps, context, 'git.identity_unlinked', identity);
        return { status: 200, data: gitIdentityView(identity) };
      },
    }),
  ];
}

async function link(
  deps: GitIdentitiesDeps,
  context: RouteContext<PersonCaller>,
  { provider, host: text, token }: z.output<typeof linkGitIdentityBodySchema>,
): Promise<GitIdentity> {
  const { userId } = context.caller;
  const host = hostOf(provider, text, deps.platformGitUrl);
  const own = await deps.gitIdentities.listOf(userId);
  if (own.length >= MOST_IDENTITIES && own.every(({ hostKey }) => hostKey !== host.key)) {
    throw new FairleadError('CONFLICT', `You have linked ${own.length} accounts, the most there may be: unlink one`);
  }
  const account = await deps.gitAccounts.accountOf({ provider, hostAddress: host.address, token });
  const identity: GitIdentity = {
    id: deps.newId('gitIdentity'),
    userId,
    provider,
    hostAddress: host.address,
    hostKey: host.key,
    ...account,
    linkedAt: deps.now(),
  };
  if (!(await deps.gitIdentities.link(identity))) {
    throw new FairleadError('CONFLICT', `${account.login} is linked by somebody else, who has to unlink it first`);
  }
  await tell(deps, context, 'git.identity_linked', identity);
  return (await deps.gitIdentities.listAt(host.key, [userId]))[0] ?? identity;
}

const WELL_KNOWN: Partial<Readonly<Record<GitProvider, string>>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
};

/** @throws VALIDATION_FAILED */
function hostOf(provider: GitProvider, text: string | undefined, platformGitUrl: string | null): NamedHost {
  const given = text ?? WELL_KNOWN[provider] ?? platformGitUrl;
  if (given !== null) return parseHost(provider, given);
  const message = `host: give the address of the ${provider} host; this platform has none of its own`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'host', message }] });
}

async function tell(
  { audit, newId, now }: GitIdentitiesDeps,
  { caller, requestId }: RouteContext<PersonCaller>,
  type: 'git.identity_linked' | 'git.identity_unlinked',
  { hostAddress, login, accountId }: GitIdentity,
): Promise<void> {
  await audit?.record({
    id: newId('event'),
    type,
    actor: caller.name,
    subject: caller.userId,
    orgSlug: caller.org === '' ? null : caller.org,
    data: { host: hostAddress, login, accountId },
    requestId,
    address: null,
    time: now(),
  });
}
