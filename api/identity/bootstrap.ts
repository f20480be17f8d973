import { FairleadError } from '../../domain/errors.ts';
import { isPersonaAddress, normalizeEmail } from '../../domain/identity/email-address.ts';
import { newUser } from '../../domain/identity/new-user.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import { newMembership, newOrg, newOrgId } from '../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from './audit.ts';
import type { IdentityDeps } from './deps.ts';
import { ensurePlatformClients } from './ensure-platform-clients.ts';
import { FIRST_ADMIN, finishAccount, halfAccount, isHalfOf } from './login/half-account.ts';
import { createFirstAdminLink, linkInvalid } from './login/one-time-links.ts';
import { hashNewPassword } from './login/set-password.ts';

export interface FirstAdminLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * What every installation has from its first start on: the platform's org and its clients. Safe to run by every process
 * at its start, many at once included: unique keys let one of them make each. While there is no super admin, each start
 * opens a new link for the first and voids the earlier ones; `onFirstAdminLink` gets it and nothing else does, so it
 * must put it where only the operator reads.
 * @throws CONFLICT when the settings name another org than the platform's, or its ids are taken (`ensurePlatformClients`)
 */
export async function bootstrapIdentity(
  deps: IdentityDeps,
  options: { readonly onFirstAdminLink: (link: FirstAdminLink) => Promise<void> },
): Promise<void> {
  await ensurePlatformClients(deps, await ensurePlatformOrg(deps));
  if ((await deps.users.countWithPlatformRole('super_admin')) > 0) return;
  const { token, expiresAt } = await createFirstAdminLink(deps);
  const open = await deps.links.find(deps.tokens.hash(token), 'first_admin');
  // Another process that started at the same time has opened a later one, and tells of it.
  if (open === null || open.consumedAt !== null) return;
  await options.onFirstAdminLink({ url: `${deps.settings.issuer}/welcome?token=${token}`, expiresAt });
}

async function ensurePlatformOrg(deps: IdentityDeps): Promise<OrgRecord> {
  const { platformOrg: slug, platformName: name } = deps.settings;
  const found = await deps.orgs.findPlatformOrg();
  if (found === null) {
    const org = newOrg({ id: newOrgId(deps.tokens.letters), slug, name, modules: [], platform: true }, deps.now());
    await ignoring('ORG_EXISTS', () => deps.orgs.insert(org));
  }
  const org = found ?? (await deps.orgs.findPlatformOrg());
  if (org === null) {
    throw new FairleadError(
      'CONFLICT',
      `The org ${slug} exists and is not the platform's: choose another PLATFORM_ORG`,
    );
  }
  // Who is of the platform is told by this name everywhere: under another one a tenant's org could be taken for it.
  if (org.slug !== slug) {
    throw new FairleadError(
      'CONFLICT',
      `PLATFORM_ORG is ${slug}, and the org of this installation's platform is ${org.slug}: set PLATFORM_ORG=${org.slug}`,
    );
  }
  return org;
}

export interface FirstAdmin {
  readonly token: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
}

const GATE_KEY = 'bootstrap:first-admin';
const GATE_SECONDS = 60;

/**
 * Makes the first super admin, who is also admin of the platform's org: exactly once, however many links two processes
 * may have opened. What can be wrong with the input is found before the link is taken.
 * @throws LINK_INVALID, VALIDATION_FAILED, PASSWORD_REFUSED, USER_EXISTS
 */
export async function completeFirstAdmin(
  deps: IdentityDeps,
  context: RouteContext,
  input: FirstAdmin,
): Promise<UserRecord> {
  const tokenHash = deps.tokens.hash(input.token);
  const link = await deps.links.find(tokenHash, 'first_admin');
  if (link === null || link.consumedAt !== null || link.expiresAt <= deps.now()) throw linkInvalid();
  const email = normalizeEmail(input.email);
  if (email === null || isPersonaAddress(email)) {
    throw new FairleadError('VALIDATION_FAILED', 'Enter an e-mail address of yours');
  }
  const org = await ensurePlatformOrg(deps);
  const passwordHash = await hashNewPassword(deps, input.password, email);

  // One at a time, across processes: the count below is then of what is finished. A process that dies here frees the
  // way a minute later.
  if ((await deps.attempts.count(GATE_KEY, GATE_SECONDS, deps.now())) > 1) throw linkInvalid();
  try {
    if ((await deps.users.countWithPlatformRole('super_admin')) > 0) throw linkInvalid();
    const known = await deps.users.findByEmail(email);
    if (known !== null && !isHalfOf(known, { id: FIRST_ADMIN, orgSlug: org.slug })) {
      throw new FairleadError('USER_EXISTS', 'There is an account of this address already');
    }
    if ((await deps.links.consume(tokenHash, 'first_admin', deps.now())) === null) throw linkInvalid();
    return await makeFirstAdmin(deps, context, org, { ...input, email, passwordHash, known });
  } finally {
    await deps.attempts.clear(GATE_KEY);
  }
}

/**
 * The role comes last: until then there is no super admin, so that the next start opens a link again when a process was
 * killed in between, and what was begun is gone on with.
 */
async function makeFirstAdmin(
  deps: IdentityDeps,
  context: RouteContext,
  org: OrgRecord,
  person: Pick<FirstAdmin, 'email' | 'firstName' | 'lastName'> & {
    readonly passwordHash: string;
    readonly known: UserRecord | null;
  },
): Promise<UserRecord> {
  const { known, passwordHash } = person;
  const made = newUser(
    {
      id: deps.newId('user'),
      email: person.email,
      // Whoever can read the operator's files vouches for the address.
      emailVerified: true,
      firstName: person.firstName,
      lastName: person.lastName,
      ...halfAccount({ id: FIRST_ADMIN, orgSlug: org.slug }, passwordHash, deps.now()),
      primaryOrg: org.slug,
    },
    deps.now(),
  );
  if (known === null) await deps.users.insert(made);
  const user = known ?? made;
  await deps.memberships.put(newMembership(user.id, org, { roles: ['admin'], modules: org.modules }, deps.now()));
  const type = 'user.first_admin_created';
  const { id } = user;
  await audit(deps, context, { id: `${type}/${id}`, type, actor: id, subject: id, orgSlug: org.slug });
  await deps.users.update(id, { platformRoles: ['super_admin'] });
  return (await finishAccount(deps, id, org.slug, passwordHash)) ?? user;
}

async function ignoring(code: FairleadError['code'], operation: () => Promise<void>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== code) throw error;
  }
}
