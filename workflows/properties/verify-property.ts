import { condition, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { Look } from '../../activities/properties/verify-property.ts';
import { VERIFY_SIGNALS, type VerifyRequest, type VerifyResult } from '../../domain/properties/messages.ts';
import type { PropertyError } from '../../domain/properties/property.ts';
import { PROPAGATION_BUDGET_MS, waitAfterLook } from '../../domain/properties/verification.ts';
import {
  completeVerified,
  confirmRecord,
  failVerification,
  lookForRecord,
  placeRecord,
  recheckProperty,
  recordOutcome,
  requestToken,
} from './activity-proxies.ts';
import { describeFailure } from './describe-failure.ts';

const ignoredSignal = defineSignal(VERIFY_SIGNALS.ignored);

const IGNORED: VerifyResult = { outcome: 'skipped', message: 'It is ignored' };
const UNKNOWN: VerifyResult = { outcome: 'skipped', message: 'There is no such Property' };
const MANUAL: VerifyResult = {
  outcome: 'record-not-seen-yet',
  message: 'The nameservers are elsewhere: set the TXT record there, then ask to check now',
};

/** Ends a run whose Property is in error. */
class RunFailed extends Error {
  readonly problem: PropertyError;
  constructor(problem: PropertyError) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * One run of the verification of a domain (spec 3, "Domain verification"): asks for the text of the record, writes it
 * where the DNS is ours, waits until the public DNS shows it, and has the search engine confirm. Whatever comes of it is
 * the outcome of its job; a run that cannot go on leaves the Property in error.
 */
export async function verifyProperty(request: VerifyRequest): Promise<VerifyResult> {
  const run = { isIgnored: false };
  setHandler(ignoredSignal, () => {
    run.isIgnored = true;
  });
  const result = await outcomeOf(request, run);
  setCurrentDetails(`**${request.domain}**: ${result.outcome}${result.message === null ? '' : `: ${result.message}`}`);
  await recordOutcome(request, result);
  return result;
}

interface Run {
  isIgnored: boolean;
}

async function outcomeOf(request: VerifyRequest, run: Run): Promise<VerifyResult> {
  try {
    return await verify(request, run);
  } catch (error) {
    const problem = error instanceof RunFailed ? error.problem : describeFailure(error);
    await failVerification(request, problem);
    return { outcome: 'error', message: problem.message };
  }
}

async function verify(request: VerifyRequest, run: Run): Promise<VerifyResult> {
  const { domain } = request;
  switch (await requestToken(request)) {
    case 'unknown':
      return UNKNOWN;
    case 'ignored':
      return IGNORED;
    case 'verified':
      return checkVerified(domain);
    case 'requested':
      break;
  }
  const placed = await placeRecord(request);
  if (placed === 'manual') return MANUAL;
  if (placed === 'ignored') return IGNORED;
  const isConfirmed = placed === 'verified' || (await waitForConfirmation(request, run));
  return isConfirmed ? { outcome: 'verified', message: await complete(domain) } : IGNORED;
}

/** The domain is verified, whatever comes of the rest. @returns what could not be done */
async function complete(domain: string): Promise<string | null> {
  try {
    await completeVerified(domain);
    return null;
  } catch (error) {
    const { message } = describeFailure(error);
    return `Its console property or owners could not be added; verify again to try that once more: ${message}`;
  }
}

/** A domain that is verified is only checked: its DNS is not written. */
async function checkVerified(domain: string): Promise<VerifyResult> {
  switch (await recheckProperty(domain)) {
    case 'verified':
      return { outcome: 'already-verified', message: await complete(domain) };
    case 'lost':
      return { outcome: 'error', message: 'The search engine no longer holds the platform for an owner; verify again' };
    case 'gone':
      return IGNORED;
  }
}

/**
 * Looks at the DNS with growing pauses until it shows the record, and then asks the search engine, whose own view of the
 * DNS may be older. The last look is at the end of the budget.
 * @returns false for a domain that is ignored meanwhile
 * @throws RunFailed at the end of the budget
 */
async function waitForConfirmation(request: VerifyRequest, run: Run): Promise<boolean> {
  const endsAt = Date.now() + PROPAGATION_BUDGET_MS;
  for (let looks = 1; ; looks += 1) {
    const { state, why, code } = await lookOnce(request, run);
    if (state !== 'not-yet') return state === 'verified';
    const leftMs = endsAt - Date.now();
    if (leftMs <= 0) throw new RunFailed({ ...why, code });
    setCurrentDetails(
      `**${request.domain}**: ${looks} looks, ${Math.ceil(leftMs / 60_000)} minutes left. ${why.message}`,
    );
    await condition(() => run.isIgnored, waitAfterLook(looks, leftMs));
  }
}

interface Seen {
  readonly state: 'verified' | 'not-yet' | 'ignored';
  readonly code: string;
  readonly why: Omit<PropertyError, 'code'>;
}

async function lookOnce(request: VerifyRequest, run: Run): Promise<Seen> {
  const nothing = { code: '', why: { source: '', message: '' } };
  if (run.isIgnored) return { state: 'ignored', ...nothing };
  const look: Look = await lookForRecord(request);
  if (look.state === 'ignored' || look.state === 'verified') return { state: look.state, ...nothing };
  if (look.state === 'not-yet') {
    const message = `The public DNS did not show the record within 60 minutes: ${look.seen}`;
    return { state: 'not-yet', code: 'RECORD_NOT_SEEN', why: { source: 'dns', message } };
  }
  const { state, reason } = await confirmRecord(request);
  const message = `The DNS shows the record, and the search engine did not find it within 60 minutes: ${reason}`;
  return { state, code: 'NOT_CONFIRMED', why: { source: 'google', message } };
}
