import * as oidc from 'openid-client';
import { tokenClaims } from '../acting-org.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import type { StoredLogin } from '../login/credentials-file.ts';
import { freshLogin } from '../login/fresh-login.ts';
import { loginEnded } from '../login/login-state.ts';
import { connectProvider } from '../login/provider.ts';
import { printFields } from '../terminal/fields.ts';

/** `fairlead whoami`: who later commands act as, confirmed by the identity provider. */
export async function whoami(context: CliContext): Promise<number> {
  const { output, connection } = context;
  const { api, credential } = connection;
  if (credential?.kind === 'key') {
    output.document({ api, kind: 'key', source: credential.source });
    const source = credential.source === 'environment' ? 'FAIRLEAD_KEY' : "the key of this checkout's stack";
    output.print(output.quiet ? 'internal key' : `The platform itself, by ${source}, at ${api}`);
    return exitCode('ok');
  }
  const { login, person } = await confirm(context);
  const { sub, name, email } = person;
  const { orgSlug = null, roles, orgRoles } = tokenClaims(login);
  const { issuer, loggedInAt } = login;
  output.document({
    api,
    kind: 'login',
    identityId: sub,
    email: email ?? null,
    orgSlug,
    orgRoles,
    roles,
    issuer,
    loggedInAt,
  });
  const label = email ?? sub;
  if (output.quiet) {
    output.print(label);
    return exitCode('ok');
  }
  const rows: [string, string][] = [
    ['Person', name === undefined ? label : `${name} <${label}>`],
    ['Org', orgSlug === null ? 'none' : `${orgSlug}${orgRoles.length === 0 ? '' : ` (${orgRoles.join(', ')})`}`],
    ...(roles.length === 0 ? [] : [['Platform', roles.join(', ')] as [string, string]]),
    ['API', api],
    ['Provider', issuer],
  ];
  printFields(output, rows);
  return exitCode('ok');
}

/** The login as its provider confirms it: one that was ended elsewhere shows here, not at the next deploy. */
async function confirm({ connection: { api }, credentials, now }: CliContext) {
  const login = await freshLogin(api, credentials, now);
  const person = await askProvider(login);
  if (person !== null) return { login, person };
  // A token may be void while the login goes on.
  const renewed = await freshLogin(api, credentials, now, login.accessToken);
  const again = await askProvider(renewed);
  if (again === null) throw loginEnded(api);
  return { login: renewed, person: again };
}

/** Null when the provider does not take the token. */
async function askProvider({ issuer, accessToken, identityId }: StoredLogin): Promise<oidc.UserInfoResponse | null> {
  const config = await connectProvider(issuer);
  try {
    return await oidc.fetchUserInfo(config, accessToken, identityId);
  } catch (error) {
    if (error instanceof oidc.WWWAuthenticateChallengeError) return null;
    throw error;
  }
}
