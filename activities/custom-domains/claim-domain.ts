import { setTimeout } from 'node:timers/promises';
import { judgeTexts, leadOf } from '../../domain/custom-domains/address-look.ts';
import { type ClaimVerdict, judgeClaim, yieldsToProof } from '../../domain/custom-domains/claim.ts';
import { contended } from '../../domain/custom-domains/contended.ts';
import {
  type CustomDomain,
  type DomainHolder,
  type HeldDomain,
  isHeld,
  newDomain,
  newHolder,
  released,
} from '../../domain/custom-domains/custom-domain.ts';
import { domainTaken } from '../../domain/custom-domains/domain-taken.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import type { AddressRecord } from '../../domain/custom-domains/mode.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import { expectedRecord } from '../../domain/custom-domains/settings.ts';
import { MODE_GATES } from '../../domain/custom-domains/state-table.ts';
import { FairleadError } from '../../domain/errors.ts';
import { changeHolder, findHolder } from './change-domain.ts';
import { requireRoom } from './claim-limits.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { factsOfClaim, isWritten } from './facts-of-claim.ts';
import { noteDelegation } from './note-delegation.ts';
import { auditDomain } from './tell-domain.ts';
import { undoHolder } from './undo-holder.ts';

export interface Claimed {
  readonly holderId: string;
  /** False for a name that was this service's before: what fails then does not give it back. */
  readonly isNew: boolean;
}

/**
 * Gives a name to a service, or finds that it is its own. Idempotent by the id of the request. A holder that gives way is
 * undone first: nothing of it leads anywhere when the name is another's.
 * @throws DOMAIN_TAKEN, which names nobody; CONFLICT; as `expectedRecord`; SERVICE_NOT_FOUND
 */
export async function claimDomain(
  deps: CustomDomainsDeps,
  request: AddDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<Claimed> {
  const { domain } = request;
  const expected = expectedRecord(request.mode, request, deps.settings);
  const own = await findHolder(deps, { domain, holderId: request.id });
  if (own !== null) return await claimed(deps, request, own.holder);
  await requireService(deps, request);
  await noteDelegation(deps, request, at, signal);
  const record = await deps.domains.find(domain);
  const judged = await judge(deps, { request, record, expected, now: at }, signal);
  const { verdict } = judged;
  if (verdict.kind === 'taken') {
    await noteContender(deps, request, record, at);
    throw domainTaken(request);
  }
  if (verdict.kind === 'elsewhere') {
    const message = `${domain} is attached to ${verdict.environment} of this service: remove it there first`;
    throw new FairleadError('CONFLICT', message, { details: { environment: verdict.environment } });
  }
  if (verdict.kind === 'held' && isHeld(record)) return await heldAlready(deps, request, record);
  await requireRoom(deps, request, at);
  const free = await makeFree(deps, record, at, signal);
  const before = free ?? newDomain(request, at);
  const holder = {
    ...holderOf(request, { ...judged, at, expectedTarget: expected.content }),
    untold: displacedOwner(before, at),
  };
  const next: CustomDomain = { ...before, holder, revision: before.revision + 1 };
  if (free === null) {
    if (!(await deps.domains.insert(next))) throw changedMeanwhile(domain);
  } else await deps.domains.replace(next);
  return await claimed(deps, request, holder);
}

/** Told once, whichever attempt comes to it. */
async function claimed(deps: CustomDomainsDeps, request: AddDomain, holder: DomainHolder): Promise<Claimed> {
  const { domain, id, addedBy: actor, requestId } = request;
  await auditDomain(deps, { domain, holder }, { type: 'domain.added', actor, requestId });
  return { holderId: id, isNew: true };
}

interface Judged {
  readonly verdict: ClaimVerdict;
  readonly isProven: boolean;
  /** As the holder has it. */
  readonly ledElsewhere: boolean;
}

function holderOf(
  request: AddDomain,
  {
    verdict,
    isProven,
    ledElsewhere,
    at,
    expectedTarget,
  }: Judged & {
    readonly at: Date;
    readonly expectedTarget: string;
  },
): DomainHolder {
  const owesProof = verdict.kind === 'free' && verdict.asksProof;
  const proof = owesProof || isProven ? ownershipProof(request) : null;
  const { id, serviceId, service, org, claimant, sharingRevision, environment, mode, overwrite, addedBy } = request;
  const { byAdministrator, canonical, hsts } = request;
  const [first, second] = MODE_GATES[mode].map(({ state }) => state);
  const state = (owesProof ? first : second) ?? 'pending-proof';
  const begun = newHolder({
    ...{ id, serviceId, service, org, claimant, sharingRevision, environment, mode, overwrite, addedBy, addedAt: at },
    ...{
      byAdministrator,
      expectedTarget,
      state,
      proof,
      ledElsewhere,
      canonical: canonical ?? false,
      hsts: hsts ?? false,
    },
  });
  return { ...begun, provenAt: isProven ? at : null };
}

/** As a majority of the database has it: a deleted service gets no name any more, nor does an org that was taken out add one. */
async function requireService({ services }: CustomDomainsDeps, request: AddDomain): Promise<void> {
  const { serviceId, service, org, claimant } = request;
  const found = await services.findConfirmed(serviceId);
  const isThere = found !== null && found.id === serviceId && found.removingSince === null;
  if (isThere && (claimant === org || found.authorizedOrgs.includes(claimant))) return;
  throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${service}`);
}

/** What is said of the name besides is changed; the look that comes next leads requests by it. */
async function heldAlready(deps: CustomDomainsDeps, request: AddDomain, record: HeldDomain): Promise<Claimed> {
  const { holder } = record;
  if (holder.removingSince !== null) {
    throw new FairleadError('CONFLICT', `${request.domain} is being removed: add it again in a moment`, {
      retryable: false,
    });
  }
  if (holder.mode === request.mode) {
    const said = { canonical: request.canonical ?? holder.canonical, hsts: request.hsts ?? holder.hsts };
    // An administrator gives it now: whether it needs a proof is judged anew.
    const given = request.byAdministrator && !holder.byAdministrator ? { byAdministrator: true, proof: null } : {};
    const changes = { ...said, ...(holder.provenAt === null && given) };
    const isChanged = Object.entries(changes).some(([field, value]) => holder[field as keyof DomainHolder] !== value);
    if (isChanged) await changeHolder(deps, record, changes);
    return { holderId: holder.id, isNew: false };
  }
  const message = `${request.domain} is attached in ${holder.mode} mode: remove it first to change the mode`;
  throw new FairleadError('CONFLICT', message, { details: { mode: holder.mode } });
}

interface OfClaim {
  readonly request: AddDomain;
  readonly record: CustomDomain | null;
  readonly expected: AddressRecord;
  readonly now: Date;
}

/** A proof is looked for where it decides something, and so is where the name leads. */
async function judge(deps: CustomDomainsDeps, of: OfClaim, signal?: AbortSignal): Promise<Judged> {
  const { request, record, now } = of;
  const known = await factsOfClaim(deps, request, { record, now }, signal);
  const before = judgeClaim(request, known);
  const isAsked = before.kind === 'free' && !before.asksProof && !isWritten(deps, request);
  const lead = isAsked ? await leadBefore(deps, of, signal) : null;
  const facts = { ...known, leadsHere: lead === 'here' };
  const ledElsewhere = lead === 'elsewhere' || isWritten(deps, request);
  const verdict = judgeClaim(request, facts);
  const yields = isHeld(record) && yieldsToProof(record.holder);
  const decides = (verdict.kind === 'free' && verdict.asksProof) || (verdict.kind === 'taken' && yields);
  if (!decides) return { verdict, isProven: false, ledElsewhere };
  const { name, value } = ownershipProof(request);
  const look = await deps.dns.lookUpText({ name, apex: request.apex }, value, signal);
  const isProven = judgeTexts(look, value) === 'holds';
  return { verdict: isProven ? judgeClaim(request, { ...facts, isProven }) : verdict, isProven, ledElsewhere };
}

/** Whoever adds waits for the answer: where DNS servers take longer, the first look says it. */
const LEAD_WITHIN_MS = 5_000;

async function leadBefore({ dns }: CustomDomainsDeps, { request, expected }: OfClaim, signal?: AbortSignal) {
  const { domain: name, apex } = request;
  const late = new AbortController();
  const look = await Promise.race([
    dns.lookUpAddresses({ name, apex, needsWitnesses: true }, expected, signal),
    setTimeout(LEAD_WITHIN_MS, null, { signal: late.signal, ref: false }).catch(() => null),
  ]);
  late.abort();
  return look && leadOf(look, expected);
}

/** Where two orgs say that a name is theirs, its record says of neither that it is meant: both have to prove it. */
async function noteContender(
  { domains }: CustomDomainsDeps,
  { claimant: org }: AddDomain,
  record: CustomDomain | null,
  at: Date,
): Promise<void> {
  if (!isHeld(record) || record.holder.ownedSince !== null || record.holder.claimant === org) return;
  const noted = contended(record, { org, at });
  if (noted !== record) await domains.replace(noted);
}

/** Whoever had the name is told in the ledger before anything of it is taken away. */
async function makeFree(
  deps: CustomDomainsDeps,
  record: CustomDomain | null,
  at: Date,
  signal?: AbortSignal,
): Promise<CustomDomain | null> {
  if (!isHeld(record)) return record;
  const why = 'the name was added for another service, and goes to it';
  await auditDomain(deps, record, { type: 'domain.displaced', actor: 'custom-domains', requestId: null, why });
  const undone = await undoHolder(deps, record, at, signal);
  const free = released(undone, at);
  await deps.domains.replace(free);
  return free;
}

/** An alarm of the new holder, where the name left another one that it was known to be of, in this attempt or one before. */
function displacedOwner({ former }: CustomDomain, at: Date): DomainHolder['untold'] {
  if (former === null || former.until.getTime() !== at.getTime()) return [];
  return [{ event: 'displaced', reason: `it was added for another service; ${former.org} has it no more`, at }];
}

function changedMeanwhile(domain: string): FairleadError {
  return new FairleadError('CONFLICT', `Another request is changing ${domain}; try again`, { retryable: true });
}
