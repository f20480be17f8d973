import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extension } from '@peculiar/x509';
import { CLUSTER_NETWORK, type ClusterPaths, NODE_NAME } from './cluster-folder.ts';

/** Who calls the API server, each with a token of its own. */
export const CLUSTER_USERS = {
  admin: { user: 'admin', groups: 'system:masters' },
  'kube-controller-manager': { user: 'system:kube-controller-manager', groups: '' },
  'kube-scheduler': { user: 'system:kube-scheduler', groups: '' },
  'kube-proxy': { user: 'system:kube-proxy', groups: 'system:node-proxier' },
  kubelet: { user: `system:node:${NODE_NAME}`, groups: 'system:nodes' },
} as const;

export type ClusterUser = keyof typeof CLUSTER_USERS;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;
/** Longer than a cluster for tests and trying is kept. */
const VALID_MS = 3_650 * DAY_MS;

/** Makes its certificates, keys and tokens, for their owner alone, unless they are there. */
export async function ensureCredentials({ pki }: ClusterPaths): Promise<void> {
  if (existsSync(pki)) return;
  const partial = `${pki}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): Promise<void> => writeFile(join(partial, name), text, { mode: 0o600 });
  await makeCertificates(write);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await write('service-accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  await write('service-accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  const lines: string[] = [];
  for (const [name, { user, groups }] of Object.entries(CLUSTER_USERS)) {
    const token = randomBytes(32).toString('base64url');
    await write(`${name}.token`, token);
    lines.push(`${token},${user},${name}${groups === '' ? '' : `,"${groups}"`}`);
  }
  await write('tokens.csv', `${lines.join('\n')}\n`);
  await rename(partial, pki);
}

async function makeCertificates(write: (name: string, text: string) => Promise<void>): Promise<void> {
  // Loaded here: few commands need them. The second needs what the first adds.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { X509CertificateGenerator: generator, PemConverter } = x509;
  const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const valid = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + VALID_MS) };
  const authorityKeys = await newKeys();
  const authority = await generator.createSelfSigned({
    ...{ ...valid, name: 'CN=Fairlead cluster', keys: authorityKeys, signingAlgorithm: ALGORITHM },
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const issue = async (name: string, subject: string, extensions: readonly Extension[]): Promise<void> => {
    const keys = await newKeys();
    const certificate = await generator.create({
      ...{ ...valid, subject, issuer: authority.subject, extensions: [...extensions] },
      ...{ publicKey: keys.publicKey, signingKey: authorityKeys.privateKey, signingAlgorithm: ALGORITHM },
    });
    await write(`${name}.pem`, certificate.toString('pem'));
    const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    await write(`${name}.key`, PemConverter.encode(key, 'PRIVATE KEY'));
  };
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const named = (...names: readonly { type: 'dns' | 'ip'; value: string }[]) =>
    new x509.SubjectAlternativeNameExtension([...names]);
  const ip = (value: string) => ({ type: 'ip', value }) as const;
  const { nodeAddress, apiServerService } = CLUSTER_NETWORK;
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const apiServerNames = [
    ...['127.0.0.1', nodeAddress, apiServerService].map(ip),
    ...dns.map((value) => ({ type: 'dns', value }) as const),
  ];
  const serves = new x509.ExtendedKeyUsageExtension([serverAuth]);
  await issue('apiserver', 'CN=kube-apiserver', [named(...apiServerNames), serves]);
  await issue('kubelet', `CN=system:node:${NODE_NAME}, O=system:nodes`, [named(ip(nodeAddress)), serves]);
  const calls = new x509.ExtendedKeyUsageExtension([clientAuth]);
  await issue('apiserver-to-kubelet', 'CN=kube-apiserver, O=system:masters', [calls]);
  await write('ca.pem', authority.toString('pem'));
}

/** A kubeconfig is YAML, of which JSON is a part. It holds all it needs, so that it can be copied. */
export async function kubeconfigOf({ pki }: ClusterPaths, user: ClusterUser, apiServerPort: number): Promise<string> {
  const [authority, token] = await Promise.all(
    ['ca.pem', `${user}.token`].map((name) => readFile(join(pki, name), 'utf8')),
  );
  const name = NODE_NAME;
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: `https://127.0.0.1:${apiServerPort}`,
            'certificate-authority-data': Buffer.from(authority ?? '').toString('base64'),
          },
        },
      ],
      users: [{ name: user, user: { token } }],
      contexts: [{ name, context: { cluster: name, user } }],
      'current-context': name,
    },
    null,
    2,
  )}\n`;
}
