import type { Outcome, Problem } from './check-result.ts';

/** A certificate as a client sees it, with the chain that came along. */
export interface SeenCertificate {
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Whether it is for the name that was asked for. */
  readonly isForName: boolean;
  /** Why a client would not trust it, apart from its name and its dates; null where it would. */
  readonly distrust: string | null;
}

const DAY_MS = 86_400_000;

/** @param warnDays a certificate that ends sooner is `slow`: degraded, and not down */
export function judgeCertificate(
  { validFrom, validTo, isForName, distrust }: SeenCertificate,
  { warnDays, now }: { readonly warnDays: number; readonly now: Date },
): { readonly outcome: Outcome; readonly problem: Problem | null; readonly message: string | null } {
  const fails = (problem: Problem, message: string) => ({ outcome: 'failed', problem, message }) as const;
  const until = validTo.toISOString();
  if (now > validTo) return fails('certificate-expired', `the certificate expired at ${until}`);
  if (now < validFrom) return fails('tls', `the certificate is valid from ${validFrom.toISOString()}`);
  if (!isForName) return fails('certificate-name', 'the certificate is for another name');
  if (distrust !== null) return fails('tls', `clients do not trust the certificate: ${distrust}`);
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  if (days >= warnDays) return { outcome: 'ok', problem: null, message: null };
  return { outcome: 'slow', problem: 'certificate-ends-soon', message: `the certificate ends at ${until}` };
}
