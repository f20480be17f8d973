import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { judgeCertificate, type SeenCertificate } from '../../../domain/monitors/judge-certificate.ts';
import { connected, dialOptions, openTls } from '../dial.ts';
import { type Finding, failed } from '../finding.ts';
import type { ProbeGuard } from '../probe-guard.ts';

type TlsCheck = Extract<MonitorCheck, { readonly kind: 'tls' }>;

/** These are told by the dates and the name of the certificate itself. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** A handshake. The certificate is judged after it, so that a wrong one is named. */
export async function checkTls(check: TlsCheck, guard: ProbeGuard, signal: AbortSignal): Promise<Finding> {
  const { serverName, warnDays } = check;
  const options = await dialOptions(check, guard);
  signal.throwIfAborted();
  const socket = openTls(options, guard, { servername: serverName, rejectUnauthorized: false });
  try {
    await connected(socket, 'secureConnect', signal);
    const seen = seenBy(socket, serverName);
    if (seen === null) return failed('tls', 'the server shows no certificate');
    return { ...judgeCertificate(seen, { warnDays, now: new Date() }), status: null };
  } finally {
    socket.destroy();
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
