import { randomBytes, type webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { KeyAndChain } from '../../domain/custom-domains/certificates/ports.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export interface TestAuthority {
  /** What a client has to trust (PEM). */
  readonly root: string;
  /** A certificate of these names, the first `*.` or not; valid for 90 days unless told. */
  issue(names: readonly string[], valid?: { readonly from?: Date; readonly to?: Date }): Promise<KeyAndChain>;
}

/** A certificate authority of one test. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const keys = await newKeys();
  // Whoever trusts several finds the right one by its name.
  const name = `CN=Authority ${randomBytes(4).toString('hex')} of a test`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name, keys, signingAlgorithm: ALGORITHM, ...validFor(3650) },
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  return {
    root: root.toString('pem'),
    async issue(names, { from, to } = {}) {
      const own = await newKeys();
      const usual = validFor(90);
      const certificate = await x509.X509CertificateGenerator.create({
        ...{ subject: `CN=${names[0]}`, issuer: root.subject, signingAlgorithm: ALGORITHM },
        ...{ publicKey: own.publicKey, signingKey: keys.privateKey },
        ...{ notBefore: from ?? usual.notBefore, notAfter: to ?? usual.notAfter },
        serialNumber: randomBytes(8).toString('hex').replace(/^./, '1'),
        extensions: [
          new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        ],
      });
      const key = await crypto.subtle.exportKey('pkcs8', own.privateKey);
      return { key: x509.PemConverter.encode(key, 'PRIVATE KEY'), chain: certificate.toString('pem') };
    },
  };
}

/** A root, and an authority below it that issues, as programs have them that are authorities themselves. */
export async function createTwoTiers(): Promise<{ readonly root: string; readonly issuer: KeyAndChain }> {
  const [rootKeys, keys] = [await newKeys(), await newKeys()];
  const name = `CN=Root ${randomBytes(4).toString('hex')} of a test`;
  const ofAuthority = (pathLength: number) => [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name, keys: rootKeys, signingAlgorithm: ALGORITHM, ...validFor(3650) },
    extensions: ofAuthority(1),
  });
  const issuer = await x509.X509CertificateGenerator.create({
    ...{
      subject: name.replace('Root', 'Issuer'),
      issuer: root.subject,
      signingAlgorithm: ALGORITHM,
      ...validFor(3650),
    },
    ...{ publicKey: keys.publicKey, signingKey: rootKeys.privateKey },
    extensions: ofAuthority(0),
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { root: root.toString('pem'), issuer: { key, chain: issuer.toString('pem') } };
}

function validFor(days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + days * DAY_MS) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
