import { createHash } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import type { PresentedProof, ProofCheck } from '../../domain/git-hooks/delivery-proof.ts';

/** What GitHub sends at most. */
export const MAX_BODY_BYTES = 25 * 1024 ** 2;
/** Of one body. Of a longer one the signature is checked, and then all branches and tags are looked at. */
const MAX_KEPT_BYTES = 1024 ** 2;
/** Of all bodies that are being read: beyond it bodies are not kept, so that strangers who send much refuse nobody. */
const MAX_ALL_KEPT_BYTES = 64 * 1024 ** 2;

export interface ReadDelivery {
  /** Which secret proves it genuine; null for none. */
  readonly secret: number | null;
  /** SHA-256 of what was signed, in hexadecimal. */
  readonly digest: string;
  /** Null where it was too long to keep. */
  readonly body: string | null;
}

export type DeliveryReader = (
  stream: AsyncIterable<Uint8Array>,
  check: ProofCheck,
  presented: PresentedProof | null,
) => Promise<ReadDelivery>;

/** Makes what reads deliveries: each is checked while it arrives, and no more of all of them is kept than a bound. */
export function createDeliveryReader(maxAllKept = MAX_ALL_KEPT_BYTES): DeliveryReader {
  let allKept = 0;
  return async (stream, check, presented) => {
    const digest = createHash('sha256');
    if (presented?.kind === 'signature') digest.update(presented.prefix, 'utf8');
    let kept: Uint8Array[] | null = [];
    let keptBytes = 0;
    let bytes = 0;
    const forget = (): void => {
      allKept -= keptBytes;
      keptBytes = 0;
      kept = null;
    };
    try {
      for await (const chunk of stream) {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) throw new FairleadError('PAYLOAD_TOO_LARGE', 'The body is larger than 25 MiB');
        check.update(chunk);
        digest.update(chunk);
        if (kept === null) continue;
        if (bytes > MAX_KEPT_BYTES || allKept + chunk.length > maxAllKept) {
          forget();
          continue;
        }
        kept.push(chunk);
        keptBytes += chunk.length;
        allKept += chunk.length;
      }
      const secret = check.end();
      // Nothing of a body is read as text before it is known to be genuine.
      const body = secret === null || kept === null ? null : Buffer.concat(kept).toString('utf8');
      return { secret, digest: digest.digest('hex'), body };
    } finally {
      forget();
    }
  };
}
