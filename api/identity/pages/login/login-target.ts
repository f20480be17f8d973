import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { Brand } from '../../../http/pages/layout.ts';
import { formTargetOf } from '../../../http/pages/page-headers.ts';
import type { IdentityDeps } from '../../deps.ts';
import { queryOf, readParameters } from '../authorize/authorization-parameters.ts';
import { isRegisteredRedirectUri } from '../authorize/match-redirect-uri.ts';
import { brandOf } from '../brand.ts';
import { localReturnTo } from '../return-to.ts';

/** Where a login leads, and so how its pages look. */
export interface LoginTarget {
  /** A path of ours; see return-to.ts. */
  readonly returnTo: string;
  /** The client that waits for the login; null when it is for our own pages. */
  readonly client: ClientRecord | null;
  readonly brand: Brand;
  /** Where submitting a form of the login may end: at the client, when it needs no consent. */
  readonly formTargets: readonly string[];
}

/** Reads what the login is for out of where it leads. */
export async function readLoginTarget(
  deps: Pick<IdentityDeps, 'clients' | 'orgs' | 'settings'>,
  given: string | undefined,
): Promise<LoginTarget> {
  const returnTo = localReturnTo(given);
  const parameters = readParameters(returnTo.startsWith('/oauth/authorize?') ? queryOf(returnTo) : '');
  const [clientId = null] = parameters.get('client_id') ?? [];
  const client = clientId === null ? null : await deps.clients.find(clientId);
  const brand = await brandOf(deps, clientId);
  if (client === null) return { returnTo, client, brand, formTargets: [] };
  const [redirectUri] = parameters.get('redirect_uri') ?? [];
  const registered = redirectUri !== undefined && isRegisteredRedirectUri(client, redirectUri);
  return { returnTo, client, brand, formTargets: registered ? [formTargetOf(redirectUri)] : [] };
}

/** The address the client suggests for the login form. */
export function loginHintOf({ returnTo }: LoginTarget): string {
  if (!returnTo.startsWith('/oauth/authorize?')) return '';
  const [hint = ''] = readParameters(queryOf(returnTo)).get('login_hint') ?? [];
  return hint.length <= 320 ? hint : '';
}
