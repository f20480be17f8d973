import type { WhiteLabel } from '../../../domain/branding/white-label.ts';
import type { Brand } from '../../http/pages/layout.ts';
import type { IdentityDeps } from '../deps.ts';

/** A client or an org. */
interface Labelled {
  readonly name: string;
  readonly whiteLabel: WhiteLabel;
}

type BrandDeps = Pick<IdentityDeps, 'clients' | 'orgs' | 'settings'>;

export function platformBrand(deps: Pick<IdentityDeps, 'settings'>): Brand {
  return { name: deps.settings.platformName, logoUrl: null, colour: null };
}

/** The brand of a client; the platform's when there is no such client. */
export async function brandOf(deps: BrandDeps, clientId: string | null): Promise<Brand> {
  const client = clientId === null ? null : await deps.clients.find(clientId);
  if (client === null) return platformBrand(deps);
  const org = await deps.orgs.find(client.orgSlug);
  return brandFrom(deps, [client, ...(org === null ? [] : [org])]);
}

/** What the first owner that says something says; logo and colour fall back one by one. */
export function brandFrom(deps: Pick<IdentityDeps, 'settings'>, owners: readonly Labelled[]): Brand {
  const named = owners.find(({ whiteLabel }) => Object.values(whiteLabel).some((field) => field !== null));
  return {
    name: named === undefined ? deps.settings.platformName : (named.whiteLabel.emailFromName ?? named.name),
    logoUrl: first(owners, ({ whiteLabel }) => safeLogo(whiteLabel.logoUrl)),
    colour: first(owners, ({ whiteLabel }) => safeColour(whiteLabel)),
  };
}

function first<T>(owners: readonly T[], read: (owner: T) => string | null): string | null {
  return owners.map(read).find((value) => value !== null) ?? null;
}

function safeColour({ primaryColor }: WhiteLabel): string | null {
  return primaryColor !== null && /^#[0-9a-f]{6}$/i.test(primaryColor) ? primaryColor : null;
}

/** A stored URL is shown only if it is https and has nothing that a policy header could be broken with. */
function safeLogo(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, username, href } = new URL(url);
  return protocol === 'https:' && username === '' && href.length <= 2_000 ? href : null;
}
