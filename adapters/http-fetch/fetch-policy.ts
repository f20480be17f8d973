import { FairleadError } from '../../domain/errors.ts';

/** Which addresses that a person or a site named are fetched at all, before anything is resolved. */
export interface FetchPolicy {
  readonly schemes: readonly ('http' | 'https')[];
  /** Null: all. */
  readonly ports: readonly number[] | null;
  /** Whether a redirect may lead to another origin, which is held to the same rules. */
  readonly leavesOrigin: boolean;
  readonly mostRedirects: number;
  readonly decompresses: boolean;
}

/** Calls with a credential: it never travels in the clear, nor to another host. */
export const API_POLICY: FetchPolicy = {
  schemes: ['https'],
  ports: null,
  leavesOrigin: false,
  mostRedirects: 3,
  decompresses: false,
};

/** Pages, robots.txt and sitemaps, which are read without a credential (spec 3, "Limits", fetch safety). */
export const SITE_POLICY: FetchPolicy = {
  schemes: ['https', 'http'],
  ports: [80, 443],
  leavesOrigin: true,
  mostRedirects: 5,
  decompresses: true,
};

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** @throws SOURCE_REFUSED */
export function parseAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url !== null) return url;
  const what =
    base === undefined
      ? 'The address is none; give one like https://example.com/path'
      : `The address at ${base.host} redirects to what is no address`;
  throw new FairleadError('SOURCE_REFUSED', what);
}

/**
 * What the text of an address says already; what its host resolves to is checked where the socket is made.
 * @throws SOURCE_REFUSED
 */
export function checkAddress(url: URL, { schemes, ports }: FetchPolicy): void {
  if (url.username !== '' || url.password !== '') throw refused(url, 'carries credentials; remove them');
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    const why =
      url.protocol === 'http:'
        ? 'is not https, so that a credential would be sent in the clear'
        : `has the scheme ${url.protocol.slice(0, -1)}; give one with ${schemes.join(' or ')}`;
    throw refused(url, why);
  }
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  if (ports !== null && !ports.some((one) => one === port)) {
    throw refused(url, `has port ${port}; ports ${ports.join(' and ')} are fetched`);
  }
}

export function refused(url: URL, why: string): FairleadError {
  return new FairleadError('SOURCE_REFUSED', `The address at ${url.host} ${why}`, {
    details: { hostname: url.hostname },
  });
}
