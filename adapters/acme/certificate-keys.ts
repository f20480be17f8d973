import { createPrivateKey, generateKeyPair, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificateKeys } from '../../domain/custom-domains/certificates/authority.ts';
import { FairleadError } from '../../domain/errors.ts';

/** Keys and certificates by this machine alone. */
export function createCertificateKeys(): CertificateKeys {
  return {
    async createKey() {
      const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
      return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    },
    async readChain(chain, { key, names }) {
      const certificate = parse(chain);
      if (!certificate.checkPrivateKey(createPrivateKey(key))) throw refused('it is of another key');
      const certified = new Set(certificate.subjectAltName?.toLowerCase().split(', '));
      const missing = names.filter((name) => !certified.has(`dns:${name}`));
      if (missing.length > 0) throw refused(`it is not of ${missing.join(', ')}`);
      return {
        fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
        renewalId: await renewalId(certificate),
        notBefore: certificate.validFromDate,
        notAfter: certificate.validToDate,
      };
    },
  };
}

function parse(chain: string): X509Certificate {
  try {
    return new X509Certificate(chain);
  } catch (cause) {
    throw new FairleadError('CERTIFICATE_REFUSED', 'The certificate authority gave what is no certificate', { cause });
  }
}

function refused(why: string): FairleadError {
  return new FairleadError('CERTIFICATE_REFUSED', `The certificate authority gave a certificate, but ${why}`);
}

/**
 * The key identifier of the authority and the serial number, both as they are encoded in the certificate (RFC 9773, section
 * 4.1). Null where the certificate does not name the authority's key.
 */
async function renewalId(certificate: X509Certificate): Promise<string | null> {
  // The second needs what the first adds.
  await import('reflect-metadata');
  const { AuthorityKeyIdentifierExtension, X509Certificate: Parsed } = await import('@peculiar/x509');
  const authority = new Parsed(certificate.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (authority === undefined) return null;
  const digits = certificate.serialNumber.length % 2 === 0 ? certificate.serialNumber : `0${certificate.serialNumber}`;
  // An integer in DER with its first bit set would be negative.
  const serial = Buffer.from(/^[89A-F]/i.test(digits) ? `00${digits}` : digits, 'hex');
  return `${Buffer.from(authority, 'hex').toString('base64url')}.${serial.toString('base64url')}`;
}
