import type { Environment } from '../environment.ts';

/** Why a branch or tag was looked at: a delivery of the provider, a look by hand, or one that was due. */
export const DELIVERY_KINDS = ['push', 'ping', 'other', 'look', 'poll'] as const;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** What became of a look, and why: a closed list. */
export const LOOK_REASONS = {
  deployed: 'a build was asked for',
  attached: 'a build of that commit was in flight already',
  unchanged: 'the head is the one that was looked at before',
  first_look: 'the head is noted; what is pushed from now on deploys',
  paused: 'the connection is paused',
  no_rule: 'no rule is about that branch or tag',
  paths_unchanged: 'nothing changed below the watched paths',
  skip_mark: 'the message of the head asks not to be deployed',
  ref_deleted: 'the branch or tag is not there any more',
  not_a_push: 'the event is not a push; pull requests never deploy',
  ping: 'the hook arrives',
  service_removed: 'the service was removed',
  service_not_owned: 'the org does not own the service any more',
  repository_changed: 'the service is built from another repository by now',
  connection_removed: 'the connection was removed',
  source_refused: 'git was refused at the repository, or did not find it',
  source_unreachable: 'git did not reach the repository',
  too_many: 'more branches and tags moved at once than one look takes',
  build_refused: 'the builder did not take the build',
} as const;

export type LookReason = keyof typeof LOOK_REASONS;

/** What a look at one branch or tag decided about one service and environment. */
export interface LookOutcome {
  readonly reason: LookReason;
  /** Full name of the branch or tag; null where it was about none. */
  readonly ref: string | null;
  /** Null where it is about no service. */
  readonly service: string | null;
  readonly environment: Environment | null;
  /** The head that git answered; null where git was not asked, or had none. */
  readonly commit: string | null;
  readonly buildId: string | null;
  /** More about the reason, such as what git said; null for none. */
  readonly message: string | null;
}

/** A delivery that was proved genuine, or a look that nobody delivered. */
export interface GitDelivery {
  /** `gdl_…` */
  readonly id: string;
  readonly connectionId: string;
  readonly kind: DeliveryKind;
  /** As the provider names it, such as `pull_request`. */
  readonly event: string;
  readonly providerId: string | null;
  /** Branch or tag that it names; null for none, or all. */
  readonly ref: string | null;
  /** Commit that it names, which is not believed. */
  readonly claimedHead: string | null;
  /** Who pushed, at the provider; null where it is not told. */
  readonly login: string | null;
  /** The provider's id of that account; null where it is not told. */
  readonly accountId: string | null;
  /** Who asked for a look by hand; null otherwise. */
  readonly requestedBy: string | null;
  /** The same was delivered in the seven days before, under whatever id. */
  readonly alreadySeen: boolean;
  readonly receivedAt: Date;
  /** `waiting`: nothing is decided yet. */
  readonly state: 'waiting' | 'decided';
  readonly outcomes: readonly LookOutcome[];
}

/** A delivery of which it is not known yet whether the same was delivered before. */
export type UnseenDelivery = Omit<GitDelivery, 'alreadySeen'>;

/** How long the digest of what was signed is kept. */
export const DIGEST_KEPT_SECONDS = 7 * 24 * 3_600;
/** How long deliveries are listed. */
export const DELIVERY_KEPT_SECONDS = 30 * 24 * 3_600;

export function outcome(reason: LookReason, more: Partial<Omit<LookOutcome, 'reason'>> = {}): LookOutcome {
  const nothing = { ref: null, service: null, environment: null, commit: null, buildId: null, message: null };
  return { reason, ...nothing, ...more };
}
