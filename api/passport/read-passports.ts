import { type AccessTokenClaims, isServiceToken } from '../../domain/identity/claims.ts';
import { admitsLogin } from '../../domain/orgs/policy.ts';
import { type Passport, type PassportFrame, personPassport, servicePassport } from '../../domain/passport/passport.ts';
import { loginOfClaims } from '../http/token-caller.ts';
import type { IdentityDeps } from '../identity/deps.ts';

export type PassportDeps = Pick<
  IdentityDeps,
  'users' | 'memberships' | 'orgs' | 'clients' | 'grants' | 'settings' | 'now'
>;

/** Someone whose passport is read: what their token says, and what an earlier passport said of their logins. */
export interface Holder {
  readonly claims: AccessTokenClaims;
  readonly connectedServices: readonly string[];
}

/**
 * The passports of many holders by now, in the order of the holders; null for one who is unknown or suspended. People
 * are read together, in three queries however many they are. Memberships and platform roles count where the login meets
 * the policy of their org, as in tokens.
 */
export async function readPassports(
  deps: PassportDeps,
  holders: readonly Holder[],
): Promise<readonly (Passport | null)[]> {
  const people = await readPeople(
    deps,
    holders.filter(({ claims }) => !isServiceToken(claims)).map(({ claims }) => claims.sub),
  );
  return Promise.all(holders.map((holder) => passportOf(deps, people, holder)));
}

/** Ids of the clients a person is logged in at. */
export async function readConnectedServices(deps: PassportDeps, claims: AccessTokenClaims): Promise<readonly string[]> {
  if (isServiceToken(claims)) return [];
  const grants = await deps.grants.listOfUser(claims.sub, deps.now());
  return [...new Set(grants.map(({ clientId }) => clientId))].sort();
}

async function passportOf(deps: PassportDeps, people: People, { claims, connectedServices }: Holder) {
  const client = await deps.clients.find(claims.client_id);
  if (client === null) return null;
  const scopes = claims.scope === '' ? [] : claims.scope.split(' ');
  const frame: PassportFrame = { client, scopes, connectedServices, at: deps.now() };
  if (isServiceToken(claims)) return servicePassport(client, await deps.orgs.find(client.orgSlug), frame);
  const user = people.users.find(({ id }) => id === claims.sub);
  if (user === undefined) return null;
  const login = loginOfClaims(claims);
  const memberships = people.memberships.filter(({ userId, orgId }) => {
    const org = people.orgs.find(({ id }) => id === orgId);
    return userId === user.id && (org === undefined || admitsLogin(org.policy, login, frame.at));
  });
  const platform = user.platformRoles.length === 0 ? null : await deps.orgs.find(deps.settings.platformOrg);
  const counts = platform !== null && admitsLogin(platform.policy, login, frame.at);
  const shown = counts ? user : { ...user, platformRoles: [] };
  return personPassport({ user: shown, memberships, orgs: people.orgs }, frame);
}

type People = Awaited<ReturnType<typeof readPeople>>;

async function readPeople(deps: PassportDeps, userIds: readonly string[]) {
  if (userIds.length === 0) return { users: [], memberships: [], orgs: [] };
  const ids = [...new Set(userIds)];
  const [users, memberships] = await Promise.all([deps.users.findMany(ids), deps.memberships.listOfUsers(ids)]);
  const orgs = await deps.orgs.findMany([...new Set(memberships.map(({ orgId }) => orgId))]);
  return { users, memberships, orgs };
}
