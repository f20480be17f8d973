/** What a mail program may turn into a link: `scheme:`, or a host name, also one with the dots of other scripts. */
const SCHEME = /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:mailto|tel|sms|data|javascript):)\S*/giu;
const HOST = /(?:[\p{L}\p{N}-]+[.\u3002\uff0e\uff61])+\p{L}[\p{L}\p{N}-]+/gu;
const DOT = /[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu;

/**
 * The addresses in a text that are at none of these hosts: what a mail in the platform's name must not carry. A web
 * address has to be http or https at a registered host; a host name alone, and the one in an e-mail address, has to be one.
 */
export function foreignAddresses(text: string, hosts: ReadonlySet<string>): readonly string[] {
  const whole = text.match(SCHEME) ?? [];
  const rest = text.replace(SCHEME, ' ').match(HOST) ?? [];
  return [...whole.filter((address) => !isAtHost(address, hosts)), ...rest.filter((host) => !hosts.has(asHost(host)))];
}

/** A value, such as the name of an org, in a form that no mail program turns into a link. */
export function withoutAddresses(text: string): string {
  return text.replaceAll('://', ': ').replace(DOT, '. ');
}

/** The hosts that are registered for clients: those of their redirect addresses, and their own domains. */
export function registeredHosts(
  clients: readonly { readonly redirectUris: readonly string[]; readonly customDomains: readonly string[] }[],
): ReadonlySet<string> {
  const uris = clients.flatMap(({ redirectUris }) => redirectUris.flatMap((uri) => URL.parse(uri)?.hostname ?? []));
  return new Set([...uris, ...clients.flatMap(({ customDomains }) => customDomains)].filter((host) => host !== ''));
}

function isAtHost(address: string, hosts: ReadonlySet<string>): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && hosts.has(url.hostname);
}

/** As a URL parser reads it: internationalized names in ASCII. */
function asHost(text: string): string {
  return URL.parse(`http://${text}`)?.hostname ?? text.toLowerCase();
}

/** Why a template cannot be used by who has these hosts; null when it can. */
export function addressProblem(
  { subject, text }: { readonly subject: string; readonly text: string },
  hosts: ReadonlySet<string>,
): string | null {
  const [foreign] = foreignAddresses(`${subject}\n${text.replaceAll(/\{\{[^{}]{0,40}\}\}/g, ' ')}`, hosts);
  if (foreign === undefined) return null;
  return `${foreign} is at no host of a redirect URI or custom domain of your clients; {{link}} leads to where it must`;
}
