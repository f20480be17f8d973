import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSPKI, jwtVerify } from 'jose';
import { startVendorServer, type VendorAnswer, type VendorRequest } from './vendor-server.ts';

/** The hosts of Google's that the platform calls. */
export const GOOGLE_HOSTS = ['oauth2.googleapis.com', 'www.googleapis.com', 'searchconsole.googleapis.com'] as const;

const EMAIL = 'fairlead@project.iam.gserviceaccount.com';
const SCOPES = ['https://www.googleapis.com/auth/webmasters', 'https://www.googleapis.com/auth/siteverification'];
const TOKEN_URL = 'https://oauth2.googleapis.com/token';

export interface GoogleOptions {
  /** What Google reads in the DNS. */
  readonly readTexts: (domain: string) => Promise<readonly string[]>;
}

/**
 * Google as its documents show it: the token endpoint of service accounts, Site Verification v1 and the sites of Search
 * Console, with their states and error bodies. A key file of its account lies in a folder of its own.
 */
export async function startGoogle({ readTexts }: GoogleOptions) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-google-'));
  const credentialsFile = join(folder, 'key.json');
  const key = { type: 'service_account', client_email: EMAIL, private_key: privateKey, private_key_id: 'k1' };
  await writeFile(credentialsFile, JSON.stringify(key));
  const owners = new Map<string, readonly string[]>();
  const sites = new Set<string>();
  const tokens = new Set<string>();

  const server = await startVendorServer(async (request) => {
    if (request.path === '/token') return giveToken(request);
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!tokens.has(token)) return apiError(401, 'authError', 'Request had invalid authentication credentials.');
    if (request.path.startsWith('/siteVerification/v1/')) return verification(request);
    if (request.path.startsWith('/webmasters/v3/sites/')) return site(request);
    return apiError(404, 'notFound', 'Not Found');
  });

  async function giveToken({ text }: VendorRequest): Promise<VendorAnswer> {
    const form = new URLSearchParams(text);
    try {
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('grant_type');
      const key = await importSPKI(publicKey, 'RS256');
      const { payload } = await jwtVerify(form.get('assertion') ?? '', key, { audience: TOKEN_URL, issuer: EMAIL });
      const scopes = String(payload.scope).split(' ');
      if (!SCOPES.every((scope) => scopes.includes(scope))) throw new Error('scope');
    } catch {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    }
    const token = `ya29.${tokens.size}`;
    tokens.add(token);
    return { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
  }

  async function verification(request: VendorRequest): Promise<VendorAnswer> {
    const { method, path } = request;
    const what = `${method} ${path.split('/')[3]}`;
    if (what === 'POST token') {
      const { verificationMethod, site: asked } = JSON.parse(request.text);
      if (verificationMethod !== 'DNS_TXT' || asked.type !== 'INET_DOMAIN') {
        return apiError(400, 'badRequest', 'Invalid value for verificationMethod');
      }
      return { status: 200, body: { method: 'DNS_TXT', token: tokenOf(asked.identifier) } };
    }
    if (what === 'POST webResource') return insert(JSON.parse(request.text).site.identifier);
    const [, domain = ''] = /^dns:\/\/(.+)$/.exec(decodeURIComponent(path.split('/')[4] ?? '')) ?? [];
    const known = owners.get(domain);
    if (known === undefined) return apiError(403, 'forbidden', 'You are not an owner of this site.');
    if (what === 'PUT webResource') owners.set(domain, JSON.parse(request.text).owners);
    return { status: 200, body: resource(domain) };
  }

  async function insert(domain: string): Promise<VendorAnswer> {
    if (!(await readTexts(domain)).includes(tokenOf(domain))) {
      const message = 'The necessary verification token could not be found on your site.';
      return apiError(400, 'badRequest', message);
    }
    if (!owners.has(domain)) owners.set(domain, [EMAIL]);
    return { status: 200, body: resource(domain) };
  }

  const resource = (domain: string): object => ({
    id: encodeURIComponent(`dns://${domain}`),
    site: { type: 'INET_DOMAIN', identifier: domain },
    owners: owners.get(domain) ?? [],
  });

  async function site({ method, path }: VendorRequest): Promise<VendorAnswer> {
    const name = decodeURIComponent(path.split('/')[4] ?? '');
    const [, domain = ''] = /^sc-domain:(.+)$/.exec(name) ?? [];
    if (method !== 'PUT') return apiError(404, 'notFound', 'Not Found');
    if (!owners.has(domain))
      return apiError(403, 'forbidden', `User does not have sufficient permission for site '${name}'.`);
    sites.add(name);
    return { status: 204, body: null };
  }

  return {
    ...server,
    credentialsFile,
    owners,
    sites,
    fetch: server.fetchFor(GOOGLE_HOSTS),
    /** Tokens that it gave out count no more. */
    revokeTokens: (): void => tokens.clear(),
    async stop(): Promise<void> {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestGoogle = Awaited<ReturnType<typeof startGoogle>>;

export const tokenOf = (domain: string): string =>
  `google-site-verification=${createHash('sha256').update(domain).digest('base64url')}`;

/** An error as Google's APIs write it. */
export function apiError(status: number, reason: string, message: string): VendorAnswer {
  return { status, body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } } };
}
