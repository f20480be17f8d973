import {
  type CertificateOwner,
  certificateKeyContext,
  type StoredCertificate,
} from '../../../domain/custom-domains/certificates/certificate.ts';
import type { CertificatesDeps } from './deps.ts';

type Deps = Pick<CertificatesDeps, 'holderOf' | 'records' | 'files' | 'cipher'>;

/**
 * Makes the file of a host what the records say: the current certificate of who holds the name by now, else none. It looks once
 * more whether they say so still: an attempt that was paused and goes on neither shows nor removes the certificate of another.
 * @throws UNAVAILABLE (retryable)
 */
export async function settleFile(deps: Deps, host: string): Promise<void> {
  for (let settled: string | null = null; ; ) {
    const { owner, current } = await wantedFor(deps, host);
    const wanted = current === null ? '' : `${owner?.service}/${owner?.environment} ${current.fingerprint}`;
    if (wanted === settled) return;
    if (owner === null || current === null) await deps.files.remove(host);
    else await put(deps, host, owner, current);
    settled = wanted;
  }
}

async function wantedFor(
  { holderOf, records }: Deps,
  host: string,
): Promise<{ readonly owner: CertificateOwner | null; readonly current: StoredCertificate | null }> {
  const owner = await holderOf(host);
  const current = owner === null ? null : ((await records.find(owner))?.current ?? null);
  return { owner, current: current?.names.includes(host) ? current : null };
}

async function put(
  { files, cipher }: Deps,
  host: string,
  owner: CertificateOwner,
  { key, chain }: StoredCertificate,
): Promise<void> {
  await files.put(host, { key: cipher.open(key, certificateKeyContext(owner)), chain });
}
