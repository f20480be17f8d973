import type { SecretCipher } from '../../../domain/config/ports.ts';
import type { CertificateAuthority, CertificateKeys } from '../../../domain/custom-domains/certificates/authority.ts';
import type { CaaRecord } from '../../../domain/custom-domains/certificates/caa.ts';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import type {
  CertificateFiles,
  ChallengeAnswers,
  ChallengeRecords,
} from '../../../domain/custom-domains/certificates/ports.ts';
import type { ServedCheck } from '../../../domain/custom-domains/certificates/served-check.ts';
import type { CertificateRecords, OrderLog } from '../../../domain/custom-domains/certificates/stores.ts';
import type { ClaimantsOf } from './claimants-of.ts';
import type { HolderOf } from './holder-of.ts';

export interface CertificatesDeps {
  readonly records: CertificateRecords;
  readonly orders: OrderLog;
  /** Slug of the org that owns the service; where that is gone, what stands for it alone. */
  readonly orgOf: (owner: CertificateOwner) => Promise<string>;
  /** By which what one org may order is counted. */
  readonly claimantsOf: ClaimantsOf;
  /** By which it is decided whose certificate a name is served with. */
  readonly holderOf: HolderOf;
  readonly authority: CertificateAuthority;
  readonly files: CertificateFiles;
  readonly answers: ChallengeAnswers;
  /** Null where no zone is managed: names with `*.` then get no certificate. */
  readonly challengeRecords: ChallengeRecords | null;
  /** The CAA records of exactly this name; none for a name without. @throws UNAVAILABLE (retryable) */
  readonly lookUpCaa: (name: string) => Promise<readonly CaaRecord[]>;
  readonly servedCheck: ServedCheck;
  readonly cipher: SecretCipher;
  readonly keys: CertificateKeys;
  /** Tells operators. @throws UNAVAILABLE (retryable) */
  readonly raiseAlarm: (alarm: {
    readonly id: string;
    readonly subject: string;
    readonly text: string;
  }) => Promise<void>;
  readonly now: () => Date;
}
