import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CertificateOwner } from '../../domain/custom-domains/certificates/certificate.ts';
import { MOST_NAMES } from '../../domain/custom-domains/certificates/certificate.ts';
import {
  CERTIFICATE_CHANGED,
  CERTIFICATE_REVOKED,
  CERTIFICATE_STATE,
  type CertificateNames,
  type CertificateOfName,
  type CertificateState,
  SET_CERTIFICATE_NAMES,
} from '../../domain/custom-domains/certificates/messages.ts';
import {
  forgetCertificate,
  readCertificate,
  removeCertificateFiles,
  removeFilesSoon,
} from './certificates/activity-proxies.ts';
import {
  initialState,
  type KeptState,
  missing,
  orderable,
  RENEWS_AFTER_MS,
  viewOf,
  viewOfName,
} from './certificates/certificate-state.ts';
import { deliver } from './certificates/deliver.ts';
import { lookAtNames, nextLookAt } from './certificates/look-at-names.ts';
import { orderCertificate } from './certificates/order-certificate.ts';
import { createRenewal, type Renewal } from './certificates/renewal.ts';

export interface KeepCertificateInput extends CertificateOwner {
  /** Absent at its start. */
  readonly state?: KeptState;
}

/** How long an update waits for what the workflow has, at its begin; its caller waits for 25 seconds. */
const RESTORED_WITHIN_MS = 10_000;

/**
 * Keeps the one certificate of the names of a service in an environment; id `certificate/<service>/<env>`, reached by
 * update-with-start. Orders it, gives it to the router, looks whether it is really served, renews and replaces it, until no
 * name is wished for. A name whose order fails is ordered again later, and keeps no other name from its certificate. What
 * the authority knows of an order is asked of it, so that a killed worker repeats nothing. Each change of a name is told to
 * the workflow of its domain.
 */
export async function keepCertificate(input: KeepCertificateInput): Promise<void> {
  const { state: carried, ...owner } = input;
  const state = carried ?? initialState();
  let changes = 0;
  let isRestored = carried !== undefined;
  const told = new Map<string, string>();
  const removeAtOnce = async (): Promise<void> => {
    // Where no worker of the module is, nobody knows of files either.
    if (!(await condition(() => isRestored, RESTORED_WITHIN_MS))) return;
    try {
      // What is wished for again meanwhile has to be given to the router once more.
      if ((await removeUnwished(state, removeFilesSoon)) && state.wished?.length !== 0) changes += 1;
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Who asked has gone by then; the next round of the workflow removes them.
      log.warn('the files of names that nobody wishes for any more could not be removed at once');
    }
  };
  setHandler(
    defineUpdate<void, [CertificateNames]>(SET_CERTIFICATE_NAMES),
    ({ names }) => {
      state.wished = [...new Set(names)].sort();
      changes += 1;
      // Workflows from before leave the files to their next round, which may stand behind an order.
      return patched('update-removes-files') ? removeAtOnce() : undefined;
    },
    { validator: checkNames },
  );
  setHandler(defineQuery<CertificateState>(CERTIFICATE_STATE), () => viewOf(state));
  setHandler(defineSignal(CERTIFICATE_REVOKED), () => {
    state.replaceNow = true;
    // What held others back does not hold this one; what comes of its own attempts does. Workflows from before repeat what they did.
    if (patched('revocation-ends-a-hold')) state.heldUntil = null;
    changes += 1;
  });
  // Of a workflow that was cancelled or ended, what it had is still there.
  if (carried === undefined) await restore(owner, state);
  isRestored = true;
  // Started by an update that was refused: nobody said that what there is shall go.
  if (!(await condition(() => state.wished !== null, '1 minute'))) return;
  const renewal = createRenewal(owner);

  for (;;) {
    const seen = changes;
    if ((state.wished ?? []).length === 0) {
      await takeAway(owner, state);
      await condition(allHandlersFinished);
      if (seen === changes) return;
      continue;
    }
    await removeUnwished(state, removeCertificateFiles);
    await renewal.read(state);
    // Where some names failed, the others are ordered at once without them.
    while (mayOrder(state, renewal) && seen === changes) {
      await orderCertificate(owner, state, orderable(state, Date.now()));
      await renewal.read(state);
    }
    await deliver(owner, state);
    await tellChanges(state, told);
    await lookAtNames(owner, state);
    await tellChanges(state, told);
    setCurrentDetails(describe(state, renewal));
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof keepCertificate>({ ...owner, state });
    }
    const waitMs = Math.max(1_000, nextAt(state, renewal) - Date.now());
    if (seen === changes) await condition(() => seen !== changes, waitMs);
  }
}

function checkNames({ names }: CertificateNames): void {
  if (new Set(names).size > MOST_NAMES) throw new Error(`a certificate has at most ${MOST_NAMES} names`);
}

async function restore(owner: CertificateOwner, state: KeptState): Promise<void> {
  const current = await readCertificate(owner);
  if (current === null) return;
  state.current = current;
  state.delivered = current.names;
}

function mayOrder(state: KeptState, renewal: Renewal): boolean {
  const now = Date.now();
  if (isHeldBack(state, now)) return false;
  state.heldUntil = null;
  if (orderable(state, now).length === 0) return false;
  return missing(state, now).length > 0 || state.replaceNow || now >= renewalAt(state, renewal);
}

/** Workflows from before a replacement was held back as well repeat what they did. */
function isHeldBack({ heldUntil, replaceNow }: KeptState, now: number): boolean {
  return heldUntil !== null && heldUntil.at > now && (!replaceNow || patched('replacement-is-held-back'));
}

function renewalAt({ issuedAt }: KeptState, renewal: Renewal): number {
  return Math.max(renewal.nextAt(), (issuedAt ?? 0) + RENEWS_AFTER_MS);
}

/** @returns whether there was something to remove */
async function removeUnwished(state: KeptState, remove: typeof removeCertificateFiles): Promise<boolean> {
  const isUnwished = (host: string): boolean => !state.wished?.includes(host);
  const unwished = state.delivered.filter(isUnwished);
  for (const host of Object.keys(state.names)) if (isUnwished(host)) delete state.names[host];
  if (unwished.length === 0) return false;
  await remove(unwished);
  state.delivered = state.delivered.filter((host) => !unwished.includes(host));
  return true;
}

async function takeAway(owner: CertificateOwner, state: KeptState): Promise<void> {
  const { delivered, current } = state;
  if (delivered.length > 0) await removeCertificateFiles(delivered);
  const left = await forgetCertificate({ ...owner, fingerprint: current?.fingerprint ?? null });
  // An order may have come to a certificate whose word was lost.
  if (left) await forgetCertificate({ ...owner, ...left });
  Object.assign(state, initialState(), { wished: state.wished });
}

/** A domain may be gone, or its workflow not begun. */
async function tellChanges(state: KeptState, told: Map<string, string>): Promise<void> {
  for (const host of state.wished ?? []) {
    const view = viewOfName(state, host);
    const text = JSON.stringify(view);
    if (told.get(host) === text) continue;
    told.set(host, text);
    try {
      await getExternalWorkflowHandle(`domain/${host}`).signal<[CertificateOfName]>(CERTIFICATE_CHANGED, view);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.debug(`nobody is told of the certificate of ${host}`);
    }
  }
}

/** When there is something to do, in milliseconds. */
function nextAt(state: KeptState, renewal: Renewal): number {
  const now = Date.now();
  const retries = (state.wished ?? []).map((host) => state.names[host]?.failure?.retryAt ?? 0).filter((at) => at > now);
  const isNeeded = missing(state, now).length > 0 || state.replaceNow;
  // Where every name waits for its next order, a renewal that is due waits as well.
  const order = orderable(state, now).length === 0 ? [] : [isNeeded ? now : renewalAt(state, renewal)];
  const orderAt = Math.max(state.heldUntil?.at ?? 0, Math.min(...retries, ...order));
  const deliverAt = state.undelivered?.retryAt ?? Number.POSITIVE_INFINITY;
  return Math.min(orderAt, deliverAt, renewal.lookAgainAt(), nextLookAt(state));
}

function describe(state: KeptState, renewal: Renewal): string {
  const lines = viewOf(state).names.map(
    ({ host, state: is, reason }) => `- ${host}: ${is}${reason === null ? '' : `, ${reason}`}`,
  );
  return [...lines, `renewal: ${renewal.describe()}`].join('\n');
}
