import { randomBytes } from 'node:crypto';
import type { CertificatesDeps } from '../../activities/custom-domains/certificates/deps.ts';
import { createCertificateAuthority } from '../../adapters/acme/certificate-authority.ts';
import { createCertificateKeys } from '../../adapters/acme/certificate-keys.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createServedCheck } from '../../adapters/http-fetch/served-check.ts';
import { createCaaLookup } from '../../adapters/public-dns/caa-lookup.ts';
import type { CertificateOwner } from '../../domain/custom-domains/certificates/certificate.ts';
import type { ChallengeRecords } from '../../domain/custom-domains/certificates/ports.ts';
import { makeTlsFixture } from '../adapters/edge-router/tls-fixture.ts';
import {
  createInMemoryAcmeAccounts,
  createInMemoryCertificateRecords,
  createInMemoryOrderLog,
} from './in-memory/certificate-stores.ts';
import { type PebbleOptions, startPebble } from './start-pebble.ts';
import { startPowerDns } from './start-powerdns.ts';

/** A public address that leads to the router of this machine. */
export const PUBLIC_ADDRESS = '203.0.114.7';
const ZONE = 'customer.example';

/** Where an authority asks for what it has to see. */
type Surroundings = Pick<PebbleOptions, 'dns' | 'httpPort'>;

interface RunningAuthority {
  readonly directoryUrl: string;
  /** What its own address, and what its certificates, are trusted by (PEM). */
  readonly ca: string;
  readonly root: string;
  stop(): Promise<void>;
}

interface AccountOptions {
  readonly profile?: string;
  readonly externalAccount?: { readonly keyId: string; readonly hmacKey: string };
}

/** Pebble, a DNS server and a router, and what the platform does with them; its own records are in memory. */
export async function startCertificateWorld({
  profile,
  externalAccount,
  ...ofPebble
}: Partial<PebbleOptions> & AccountOptions = {}) {
  const account = {
    ...(profile !== undefined && { profile }),
    ...(externalAccount !== undefined && { externalAccount }),
  };
  const world = await startCertificateWorldAt((at) => startPebble({ ...at, ...ofPebble }), account);
  return { ...world, pebble: world.running };
}

/** The same at any authority. */
export async function startCertificateWorldAt<Running extends RunningAuthority>(
  startAuthority: (at: Surroundings) => Promise<Running>,
  { profile, externalAccount }: AccountOptions = {},
) {
  await using started = new AsyncDisposableStack();
  const dns = started.adopt(await startPowerDns(), ({ stop }) => stop());
  // Records of an authority may stand at any name above, its top included.
  for (const zone of ['example', ZONE]) await dns.addZone(zone, [`ns.${ZONE}`]);
  const edge = started.adopt(await makeTlsFixture(), ({ end }) => end());
  const running = started.adopt(await startAuthority({ dns: dns.address, httpPort: edge.edge.port }), ({ stop }) =>
    stop(),
  );
  const cipher = createSecretCipher([randomBytes(32)]);
  const alarms: string[] = [];
  const holders = new Map<string, CertificateOwner>();
  const now = () => new Date();
  const accounts = createInMemoryAcmeAccounts();
  /** A name of a customer leads to this machine, as the DNS of the authority has it, and as that of the platform. */
  const lookup = async (hostname: string) =>
    (await dns.resolver().resolve4(hostname)).map(() => ({ address: PUBLIC_ADDRESS }));
  const newAuthority = () =>
    createCertificateAuthority({
      ...{
        directoryUrl: running.directoryUrl,
        accounts,
        cipher,
        email: 'ops@platform.example',
        externalAccount: externalAccount ?? null,
        profile: profile ?? null,
      },
      ...{ ca: running.ca, now },
    });
  const deps: CertificatesDeps = {
    records: createInMemoryCertificateRecords(),
    orders: createInMemoryOrderLog(),
    orgOf: async () => 'acme',
    claimantsOf: async (_owner, hosts) => hosts.map(() => 'acme'),
    holderOf: async (host) => holders.get(host) ?? null,
    authority: newAuthority(),
    files: edge.certificates,
    answers: edge.challenges,
    challengeRecords: challengeRecords(dns),
    lookUpCaa: createCaaLookup([dns.address]),
    servedCheck: createServedCheck({
      ...{ now, lookup, timeoutMs: 5_000 },
      dialler: { dial: () => ({ address: '127.0.0.1', port: edge.tlsPort }), ca: running.root },
    }),
    keys: createCertificateKeys(),
    cipher,
    raiseAlarm: async ({ id }) => void alarms.push(id),
    now,
  };
  const stack = started.move();
  return {
    ...{ dns, edge, running, deps, alarms, accounts, newAuthority, zone: ZONE },
    /** A name that leads here, and to a service. @returns it */
    async customer(label: string, service: string): Promise<string> {
      const host = label === '' ? ZONE : `${label}.${ZONE}`;
      await dns.setRecords(ZONE, { name: host, type: 'A', contents: ['127.0.0.1'] });
      holders.set(host, { service, environment: 'prod' });
      await edge.hosts.put(host, { service, environment: 'prod', serves: 'everything', redirectToTls: false });
      return host;
    },
    stop: () => stack.disposeAsync(),
  };
}

export type CertificateWorld = Awaited<ReturnType<typeof startCertificateWorld>>;

function challengeRecords(dns: Awaited<ReturnType<typeof startPowerDns>>): ChallengeRecords {
  const values = new Map<string, Set<string>>();
  const write = async (name: string): Promise<void> => {
    const contents = [...(values.get(name) ?? [])].map((value) => `"${value}"`);
    await dns.setRecords(ZONE, { name, type: 'TXT', contents });
  };
  return {
    async put(name, value) {
      values.set(name, new Set([...(values.get(name) ?? []), value]));
      await write(name);
    },
    async remove(name, value) {
      values.get(name)?.delete(value);
      await write(name);
    },
  };
}
