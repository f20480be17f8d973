import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { judgeCertificate, type SeenCertificate } from '../../../domain/monitors/judge-certificate.ts';
import { openSocket, openTls } from '../dial.ts';
import { type Finding, failed } from '../finding.ts';
import type { Probe } from '../probe.ts';

type TlsCheck = Extract<MonitorCheck, { readonly kind: 'tls' }>;

/** These are told by the dates and the name of the certificate itself. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** A handshake. The certificate is judged after it, so that a wrong one is named. */
export async function checkTls(check: TlsCheck, probe: Probe, signal: AbortSignal): Promise<Finding> {
  const { serverName: servername, warnDays } = check;
  const plain = await openSocket(check, probe, signal);
  try {
    const socket = await openTls(plain, probe, { servername, rejectUnauthorized: false, signal });
    const seen = seenBy(socket, servername);
    if (seen === null) return failed('tls', 'the server shows no certificate');
    return { ...judgeCertificate(seen, { warnDays, now: new Date() }), status: null };
  } finally {
    plain.destroy();
  }
}

function seenBy(socket: TLSSocket, serverName: string): SeenCertificate | null {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const { validFromDate, validToDate } = certificate;
  const reason = socket.authorized ? null : codeOf(socket.authorizationError);
  return {
    validFrom: validFromDate,
    validTo: validToDate,
    isForName: checkServerIdentity(serverName, certificate.toLegacyObject()) === undefined,
    distrust: reason === null || TOLD_OTHERWISE.has(reason) ? null : reason,
  };
}

/** A code such as SELF_SIGNED_CERT_IN_CHAIN, which Node gives as an error or as text. */
function codeOf(error: Error | string): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
