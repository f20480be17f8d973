import { isDeepStrictEqual } from 'node:util';
import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { BuildRecord, BuildStep, BuildWait } from '../../../domain/deploys/build.ts';
import { type BuildLockfile, LOCKFILE_KEPT_DAYS, requireReadable } from '../../../domain/deploys/build-lockfile.ts';
import type {
  BuildEnd,
  BuildFilter,
  BuildOutline,
  BuildStore,
  DeployTarget,
} from '../../../domain/deploys/build-store.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { isTerminal, statusesBefore } from '../../../domain/deploys/status.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const BACKFILLED: ReadonlySet<string> = new Set([
  ...['commitSha', 'imageTag', 'imageDigest', 'releaseId', 'url', 'healthReportsCommit'],
]);

const NEWEST = {
  cursor: timeAndId,
  keyOf: ({ createdAt, id }: BuildRecord) => [createdAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Build records in this process. What is put in is frozen; what is given out is what is stored. */
export function createInMemoryBuildStore({ now }: { readonly now: Clock }): BuildStore {
  const records = new Map<string, BuildRecord>();
  const attached = new Map<string, string>();
  const keys = new Map<string, string>();
  const lockfiles = new Map<
    string,
    { readonly serviceId: string; readonly kept: BuildLockfile; readonly keptAt: Date }
  >();

  /** False when the record is terminal, or not as it has to be. @throws BUILD_NOT_FOUND */
  const changeOpen = (
    id: string,
    make: (record: BuildRecord) => Partial<BuildRecord>,
    isAllowed: (record: BuildRecord) => boolean = () => true,
  ): boolean => {
    const record = records.get(id);
    if (record === undefined) throw new FairleadError('BUILD_NOT_FOUND', `No build has the id ${id}`);
    if (isTerminal(record.status) || !isAllowed(record)) return false;
    records.set(id, keepRecord({ ...record, ...make(record) }));
    return true;
  };

  return {
    async create(record) {
      const stored = records.get(record.id) ?? keepRecord(record);
      records.set(record.id, stored);
      return stored;
    },
    find: async (id) => records.get(id) ?? null,
    async list(filter, page) {
      const found = [...records.values()].filter((record) => isWanted(record, filter));
      return pageOf(found, page, NEWEST);
    },
    async listOpen(target, page) {
      const found = [...records.values()].filter((record) => !isTerminal(record.status) && isOf(record, target));
      const { items, nextCursor } = pageOf(found, page, NEWEST);
      return { items: items.map(outlineOf), nextCursor };
    },
    async stateOf(id) {
      const record = records.get(id);
      if (record === undefined) return null;
      return isTerminal(record.status) ? 'ended' : 'open';
    },
    async statusesOf(ids) {
      const found = ids.flatMap((id) => records.get(id) ?? []);
      return new Map(found.map(({ id, status, reason }) => [id, { status, reason }]));
    },
    async claimKey(key, fingerprint) {
      const first = keys.get(key) ?? fingerprint;
      keys.set(key, first);
      return first;
    },
    async newest(target) {
      const found = [...records.values()].filter((record) => isOf(record, target));
      const [record] = pageOf(found, { cursor: null, limit: 1 }, NEWEST).items;
      return record === undefined ? null : outlineOf(record);
    },
    needsArchive: async (archiveId) =>
      [...records.values()].some(
        ({ status, source, waiting }) =>
          !isTerminal(status) && waiting === null && source.kind === 'archive' && source.archiveId === archiveId,
      ),
    async giveEpoch(id, epoch) {
      changeOpen(id, (record) => ({ epoch: record.epoch ?? epoch }));
      const given = records.get(id)?.epoch ?? null;
      if (given !== null) return given;
      throw new FairleadError('CONFLICT', `Build ${id} has ended before it installed anything`);
    },
    async setSteps(id, steps) {
      changeOpen(
        id,
        () => ({ steps }),
        (record) => isDeepStrictEqual(begunOf(record.steps), begunOf(steps)),
      );
    },
    async markStep(id, step, changes, { facts = {}, warnings = [], attempt } = {}) {
      if (Object.keys(changes).length + Object.keys(facts).length + warnings.length === 0) return true;
      return changeOpen(
        id,
        (record) => ({
          ...withStep(record, step, changes),
          ...entered(record, step, changes, now()),
          ...withFacts(record, facts),
          ...withWarnings(record, warnings),
        }),
        (record) => attempt === undefined || mayWrite(record, step.key, attempt),
      );
    },
    async addWarnings(id, warnings) {
      if (warnings.length === 0) return;
      changeOpen(id, (record) => withWarnings(record, warnings));
    },
    async removeWarnings(id, gone, { key, attempt }) {
      if (gone.length === 0) return;
      changeOpen(
        id,
        ({ warnings }) => ({ warnings: warnings.filter((warning) => !gone.includes(warning)) }),
        (record) => mayWrite(record, key, attempt),
      );
    },
    async addDiagnostic(id, diagnostic) {
      changeOpen(id, ({ diagnostics }) => ({
        diagnostics: diagnostics.some((known) => isDeepStrictEqual(known, diagnostic))
          ? diagnostics
          : [...diagnostics, diagnostic],
      }));
    },
    setWaiting: async (id, waiting, at) => {
      const { blockedGrants = [], ...times } = waiting ?? {};
      return changeOpen(
        id,
        () => ({ waiting: waiting === null ? null : (times as BuildWait), blockedGrants }),
        (record) => at === undefined || mayWrite(record, at.key, at.attempt),
      );
    },
    noteAttached: async (requested, buildId) => {
      if (!attached.has(requested)) attached.set(requested, buildId);
    },
    async keepLockfile({ buildId, serviceId }, lockfile) {
      requireReadable(lockfile);
      lockfiles.set(buildId, { serviceId, kept: keepRecord(lockfile), keptAt: now() });
    },
    async removeLockfiles(removed) {
      for (const [id, { serviceId }] of lockfiles) if (serviceId === removed) lockfiles.delete(id);
    },
    async lockfileOf(id) {
      const { kept, keptAt } = lockfiles.get(id) ?? { kept: null, keptAt: now() };
      return now().getTime() - keptAt.getTime() >= LOCKFILE_KEPT_DAYS * 86_400_000 ? null : kept;
    },
    attachedTo: async (requested) => attached.get(requested) ?? null,
    finish: async (id, end) => changeOpen(id, (record) => ended(record, end)),
    finishUnbegun: async (id, end) =>
      changeOpen(
        id,
        (record) => ended(record, end),
        ({ steps }) => begunOf(steps).length === 0,
      ),
  };
}

function isOf(record: BuildRecord, target: DeployTarget | null): boolean {
  return target === null || (record.service === target.service && record.environment === target.environment);
}

function mayWrite({ steps }: BuildRecord, key: string, attempt: number): boolean {
  const step = steps.find((one) => one.key === key);
  if (step === undefined) return false;
  return step.attempt < attempt || (step.attempt === attempt && ['pending', 'running'].includes(step.state));
}

function begunOf(steps: readonly BuildStep[]): readonly unknown[] {
  const begun = steps.filter(({ startedAt }) => startedAt !== null);
  return begun.map(({ key, attempt, state }) => [key, attempt, state]).toSorted();
}

function outlineOf(record: BuildRecord): BuildOutline {
  const { id, serviceId, service, environment, createdAt, imageTag, imageDigest, releaseId } = record;
  return { id, serviceId, service, environment, createdAt, imageTag, imageDigest, releaseId };
}

type MarkedStep = Parameters<BuildStore['markStep']>[1];
type StepChanges = Parameters<BuildStore['markStep']>[2];

function withStep({ steps }: BuildRecord, { key }: MarkedStep, changes: StepChanges): Pick<BuildRecord, 'steps'> {
  return { steps: steps.map((step): BuildStep => (step.key === key ? { ...step, ...changes } : step)) };
}

/** Where a step takes the build; nothing for one that is planned, skipped or called off, or that comes earlier. */
function entered(record: BuildRecord, { stage }: MarkedStep, changes: StepChanges, now: Date): Partial<BuildRecord> {
  const { state, startedAt } = changes;
  if (state !== 'running' && state !== 'completed' && state !== 'failed' && state !== 'warned') return {};
  if (!statusesBefore(stage).includes(record.status)) return {};
  const times = [record.startedAt, startedAt ?? now].filter((time) => time !== null);
  return { status: stage, startedAt: new Date(Math.min(...times.map(Number))) };
}

function withFacts(record: BuildRecord, facts: BuildFacts): Partial<BuildRecord> {
  const found = Object.entries(facts).filter(([, value]) => value !== undefined);
  const backfilled = found.filter(([name]) => BACKFILLED.has(name));
  return { facts: { ...record.facts, ...Object.fromEntries(found) }, ...Object.fromEntries(backfilled) };
}

function withWarnings(record: BuildRecord, warnings: readonly string[]): Pick<BuildRecord, 'warnings'> {
  return { warnings: [...new Set([...record.warnings, ...warnings])] };
}

function ended({ steps }: BuildRecord, end: BuildEnd): Partial<BuildRecord> {
  const state = end.reason === 'cancelled' || end.reason === 'superseded' ? 'cancelled' : 'failed';
  const endOf = (step: BuildStep): BuildStep => ({ ...step, state, finishedAt: step.finishedAt ?? end.finishedAt });
  return { ...end, waiting: null, steps: steps.map((step) => (step.state === 'running' ? endOf(step) : step)) };
}

function isWanted(record: BuildRecord, filter: BuildFilter): boolean {
  const { serviceId, serviceIds, environment, status, open } = filter;
  return (
    (serviceId === undefined || record.serviceId === serviceId) &&
    (serviceIds === undefined || serviceIds.includes(record.serviceId)) &&
    (environment === undefined || record.environment === environment) &&
    (status === undefined || record.status === status) &&
    (open !== true || !isTerminal(record.status))
  );
}
