import {
  changedProperty,
  type Property,
  type PropertyError,
  type Verification,
  type VerificationState,
} from './property.ts';

/** How long the record may take until the public DNS shows it, in one run (spec 3, "Limits"). */
export const PROPAGATION_BUDGET_MS = 60 * 60_000;

/** The wait between two looks at the DNS. */
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** The wait after so many looks: it doubles, and the last look is at the end of the budget. */
export function waitAfterLook(looks: number, leftMs: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (looks - 1), LONGEST_WAIT_MS, leftMs);
}

/**
 * From which state one leads to another (spec 3, "Domain verification"). A run begins from every state but `verified`,
 * which is checked instead; `verified` is reached from the manual path as soon as the search engine confirms; `error` from
 * wherever a run gives up. Nothing but {@link VERIFICATION_LOST} leaves `verified`.
 */
const FROM: Readonly<Record<Exclude<VerificationState, 'unverified'>, readonly VerificationState[]>> = {
  'token-requested': ['unverified', 'token-requested', 'txt-written', 'verifying', 'error'],
  'txt-written': ['token-requested', 'txt-written', 'verifying'],
  verifying: ['txt-written', 'verifying'],
  verified: ['unverified', 'token-requested', 'txt-written', 'verifying', 'error'],
  error: ['unverified', 'token-requested', 'txt-written', 'verifying'],
};

/** The search engine no longer holds us for an owner. Nobody else takes a domain's verification away. */
export const VERIFICATION_LOST = 'VERIFICATION_LOST';

interface Transition {
  readonly at: Date;
  readonly changes?: Partial<Pick<Verification, 'path' | 'token'>>;
  /** With `error`. */
  readonly error?: PropertyError;
}

/**
 * The Property in its next state, with the time of the transition. Null where it is there already, the state before does
 * not lead to it, or it is ignored: then nothing is done any more.
 */
export function advance(
  property: Property,
  to: Exclude<VerificationState, 'unverified'>,
  { at, changes = {}, error }: Transition,
): Property | null {
  const { verification, ignored } = property;
  if (ignored !== null || !leadsTo(verification.state, to, error)) return null;
  if (verification.state === to && to !== 'token-requested') return null;
  const next: Verification = { ...verification, ...timesOf(to, at), ...changes, state: to };
  const detail = error === undefined ? null : `${error.code}: ${error.message}`;
  return changedProperty(property, { verification: next, lastError: error ?? null }, { at, event: to, detail });
}

function leadsTo(
  from: VerificationState,
  to: Exclude<VerificationState, 'unverified'>,
  error: PropertyError | undefined,
): boolean {
  if (from === 'verified') return to === 'error' && error?.code === VERIFICATION_LOST;
  return FROM[to].includes(from) && error?.code !== VERIFICATION_LOST;
}

/** When each state was reached in this run: a new run begins with none. */
function timesOf(to: Exclude<VerificationState, 'unverified'>, at: Date): Partial<Verification> {
  switch (to) {
    case 'token-requested':
      return { tokenRequestedAt: at, txtWrittenAt: null, verifyingAt: null, verifiedAt: null, errorAt: null };
    case 'txt-written':
      return { txtWrittenAt: at, verifyingAt: null };
    case 'verifying':
      return { verifyingAt: at };
    case 'verified':
      return { verifiedAt: at, errorAt: null };
    case 'error':
      return { errorAt: at };
  }
}

/** States in which a run waits for something. */
const UNDER_WAY: ReadonlySet<VerificationState> = new Set(['token-requested', 'txt-written', 'verifying']);

interface RunFacts {
  readonly verification: Pick<Verification, 'state' | 'path'>;
  readonly ignored: object | null;
}

/** Whether a run goes on, or was left alone and will be resumed; not one that waits for a person. */
export function isUnderWay({ verification: { state, path }, ignored }: RunFacts): boolean {
  return ignored === null && path !== 'manual' && UNDER_WAY.has(state);
}

/** Whether a run was left alone: nothing happened for longer than the budget, and no person is waited for. */
export function isStranded(property: Property, now: Date): boolean {
  const { tokenRequestedAt, txtWrittenAt, verifyingAt } = property.verification;
  if (!isUnderWay(property)) return false;
  const times = [tokenRequestedAt, txtWrittenAt, verifyingAt].map((time) => time?.getTime() ?? 0);
  return now.getTime() - Math.max(...times) > PROPAGATION_BUDGET_MS;
}
