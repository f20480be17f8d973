import { endedWith, MEMORY_REMEDY, ranOutOfMemory } from '../../domain/deploys/process-end.ts';
import { bytesOfQuantity } from './quantities.ts';

/** The parts of the cluster's objects that tell of a rollout. Everything else in them is left out. */
export interface RolloutObjects {
  readonly deployment: {
    readonly status?: { readonly conditions?: readonly Condition[] } | undefined;
  };
  readonly pods: readonly PodObject[];
  /** Those of the workload: of its deployment, its replica sets and its pods. */
  readonly events: readonly EventObject[];
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface PodObject {
  readonly metadata?: { readonly name?: string | undefined; readonly deletionTimestamp?: unknown } | undefined;
  readonly spec?:
    | {
        readonly containers?: readonly {
          readonly resources?: { readonly limits?: Readonly<Record<string, string>> | undefined } | undefined;
        }[];
      }
    | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly reason?: string | undefined;
        readonly message?: string | undefined;
        readonly conditions?: readonly Condition[] | undefined;
        readonly containerStatuses?: readonly ContainerStatus[] | undefined;
      }
    | undefined;
}

export interface ContainerStatus {
  readonly ready?: boolean | undefined;
  readonly restartCount?: number | undefined;
  readonly state?: ContainerState | undefined;
  readonly lastState?: ContainerState | undefined;
}

interface ContainerState {
  readonly running?: { readonly startedAt?: unknown } | undefined;
  readonly waiting?: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined;
  readonly terminated?: Termination | undefined;
}

export interface Termination {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly signal?: number | undefined;
  readonly startedAt?: unknown;
  readonly finishedAt?: unknown;
}

export interface EventObject {
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** How often it was the case; one without is told once. */
  readonly count?: number | undefined;
}

/** Why a workload does not run, in words for its author. */
export interface RolloutFailure {
  readonly kind: RolloutFailureKind;
  /** One sentence on what happened, and one on what to do. */
  readonly message: string;
  /** Whether it stays so: the others may pass by themselves, such as a full cluster. */
  readonly isFinal: boolean;
}

export type RolloutFailureKind = (typeof ROLLOUT_FAILURES)[number]['kind'];

interface SeenObjects extends RolloutObjects {
  /** Those that their node took away, or did not take: they stay on record, and the cluster makes others in their place. */
  readonly putOut: readonly PodObject[];
}

/** How a failure shows in the objects of the cluster. @returns what is known of it; null where it is not the case */
interface FailureRow<Kind extends string> {
  readonly kind: Kind;
  readonly isFinal: boolean;
  readonly find: (objects: SeenObjects) => string | null;
  readonly remedy: string;
}

/** As a kubelet says it: of the container, of the whole pod, or of one of its folders. */
const OVER_ITS_DISK =
  /exceeded its local ephemeral storage limit|ephemeral local storage usage exceeds|^Usage of EmptyDir volume/;

const row = <const Kind extends string>(given: FailureRow<Kind>): FailureRow<Kind> => given;

/** Every failure of a rollout, the ones that explain others first. */
export const ROLLOUT_FAILURES = [
  row({
    kind: 'namespace is not ready',
    isFinal: false,
    find: (objects) => {
      const text = refusal(objects);
      return BEFORE_IT_IS_READY.test(text) ? `The namespace takes no pods yet: ${firstLine(text)}` : null;
    },
    remedy: 'The cluster tries it again by itself.',
  }),
  row({
    kind: 'quota exceeded',
    isFinal: true,
    find: (objects) => {
      const [, quota, requested, used, limited] =
        /exceeded quota: (\S+), requested: (\S+), used: (\S+), limited: (\S+)/.exec(refusal(objects)) ?? [];
      if (quota === undefined) return null;
      return `The namespace has no room for it: it asks for ${requested}, ${used} is in use, and the bound is ${limited}`;
    },
    remedy:
      'Take a smaller pod tier, or lower platform.io/cpu-request and platform.io/memory-request in catalog-info.yaml, or remove what else runs in the namespace.',
  }),
  row({
    kind: 'admission refused',
    isFinal: true,
    find: (objects) => {
      const text = refusal(objects);
      return text === '' ? null : `The cluster refuses the pod: ${firstLine(text)}`;
    },
    remedy:
      'An operator of the cluster decides what its admission controllers let in: show them this message, or change what it names.',
  }),
  row({
    kind: 'unschedulable',
    isFinal: false,
    find: ({ pods }) => {
      const condition = conditionOf(pods, 'PodScheduled');
      if (condition?.status !== 'False' || condition.reason !== 'Unschedulable') return null;
      return `No node has room for it: ${firstLine(condition.message ?? '')}`;
    },
    remedy: 'Add a node, or take a smaller pod tier or lower requests.',
  }),
  row({
    kind: 'image cannot be pulled',
    isFinal: true,
    find: (objects) => {
      const { text, tries } = unpulled(objects) ?? { text: '', tries: 0 };
      if (tries < MOST_PULLS && !LASTING_REFUSAL.test(text)) return null;
      return `The node cannot pull the image: ${text}`;
    },
    remedy:
      'Let the nodes reach the registry by the name that the image has, with the login of DOCKER_REGISTRY_USER; for an image that is gone, deploy the commit again.',
  }),
  row({
    kind: 'image is not pulled yet',
    isFinal: false,
    find: (objects) => {
      const failed = unpulled(objects);
      return failed === null ? null : `The node could not pull the image: ${failed.text}`;
    },
    remedy: 'It is tried again.',
  }),
  row({
    kind: 'container cannot be made',
    isFinal: true,
    find: ({ pods }) => {
      const reasons = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'];
      const text =
        pods
          .filter(isIdle)
          .map(lastEnd)
          .find((end) => end !== null && neverRan(end))?.message ??
        waitingOf(pods).find(({ reason }) => reasons.includes(reason ?? ''))?.message;
      return text === undefined ? null : `The container cannot be made: ${firstLine(text)}`;
    },
    remedy: 'Have the image name a command that exists, and a numeric user other than 0.',
  }),
  row({
    kind: 'out of memory',
    isFinal: true,
    find: ({ pods }) => {
      const found = pods.find((pod) => lastEnd(pod)?.reason === 'OOMKilled');
      if (found === undefined || isSteady(found)) return null;
      return outOfMemory(found);
    },
    remedy: MEMORY_REMEDY,
  }),
  row({
    kind: 'keeps ending',
    isFinal: true,
    find: ({ pods }) => {
      const isLooping = (pod: PodObject) =>
        waitingOf([pod])[0]?.reason === 'CrashLoopBackOff' || restartsOf(pod) >= MOST_RESTARTS;
      const found = pods.find((pod) => isLooping(pod) && !isSteady(pod));
      const end = found === undefined ? null : lastEnd(found);
      if (found === undefined || end === null) return null;
      return exited(found, end);
    },
    remedy: 'The last output of the container says why.',
  }),
  row({
    kind: 'disk limit',
    isFinal: true,
    find: (objects) => {
      const text = reasonPutOut(objects);
      // The one in its place will be put out as well, unless it serves by then.
      if (text === null || !OVER_ITS_DISK.test(text) || objects.pods.some((pod) => isReady(pod) || isSteady(pod)))
        return null;
      return `It wrote more than it may: ${text}`;
    },
    remedy:
      'Keep data in a database or in the object store, and print less: files that a service writes are gone at its next start.',
  }),
  row({
    kind: 'evicted',
    isFinal: false,
    find: (objects) => {
      const text = reasonPutOut(objects);
      // What has run in its place tells more, as does what keeps that from running.
      return text === null || objects.pods.some(hasRun) ? null : `The node put it out: ${text}`;
    },
    remedy:
      'The cluster starts it again where there is room: free some on the node, or raise platform.io/memory-request.',
  }),
  row({
    kind: 'probe fails',
    isFinal: false,
    find: ({ pods, events }) => {
      const runs = pods.some(({ status }) =>
        status?.containerStatuses?.some(({ ready, state }) => ready === false && state?.running),
      );
      const event = events.findLast(
        ({ reason, message }) => reason === 'Unhealthy' && /^Readiness/.test(message ?? ''),
      );
      return runs && event !== undefined
        ? `The container runs and is not ready: ${firstLine(event.message ?? '')}`
        : null;
    },
    remedy:
      'Answer the health endpoint with status 200 at the port that the variable PORT holds, or declare both in catalog-info.yaml.',
  }),
] as const;

/** The first row that is the case; null where nothing failed so far. */
export function rolloutFailure(objects: RolloutObjects): RolloutFailure | null {
  const living = objects.pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const seen = { ...objects, pods: living.filter((pod) => !isPutOut(pod)), putOut: living.filter(isPutOut) };
  for (const { kind, isFinal, find, remedy } of ROLLOUT_FAILURES) {
    const what = find(seen);
    if (what !== null) return { kind, isFinal, message: `${what.replace(/[.\s]+$/, '')}. ${remedy}` };
  }
  return null;
}

/** Why pods are refused in a namespace that was made a moment ago: its quota is not counted yet, or its account not made. */
const BEFORE_IT_IS_READY = /status unknown for quota|error looking up service account/;
const MOST_RESTARTS = 3;
/** A process that has run this long is in no loop, however often it was started before. */
const STEADY_MS = 10_000;

function isSteady(pod: PodObject): boolean {
  const [status] = pod.status?.containerStatuses ?? [];
  const startedAt = status?.state?.running?.startedAt;
  return startedAt !== undefined && Date.now() - new Date(String(startedAt)).getTime() > STEADY_MS;
}

/** What was said of the pod that was put out last; null where there is none. */
function reasonPutOut({ putOut }: SeenObjects): string | null {
  const status = putOut.at(-1)?.status;
  return status === undefined ? null : firstLine(status.message ?? status.reason ?? 'no reason given');
}

/** What the cluster says when it makes no pod of a deployment; empty where it makes one. */
function refusal({ deployment }: RolloutObjects): string {
  const condition = deployment.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  return condition?.status === 'True' ? (condition.message ?? '') : '';
}

function conditionOf(pods: readonly PodObject[], type: string): Condition | undefined {
  return pods.flatMap(({ status }) => status?.conditions ?? []).find((condition) => condition.type === type);
}

function waitingOf(pods: readonly PodObject[]) {
  return pods.flatMap(({ status }) => status?.containerStatuses ?? []).flatMap(({ state }) => state?.waiting ?? []);
}

export function restartsOf({ status }: PodObject): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));
}

/** How often a node tries to pull an image before it is given up: half a minute, so that a registry may start anew. */
const MOST_PULLS = 3;
const LASTING_REFUSAL = /not found|unauthorized|forbidden|denied|invalid/i;

/** What the node said when it last failed to pull the image, and how often it did; null where it did not. */
function unpulled({ pods, events }: RolloutObjects): { readonly text: string; readonly tries: number } | null {
  const reasons = ['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull'];
  const waiting = waitingOf(pods).find(({ reason }) => reasons.includes(reason ?? ''));
  if (waiting === undefined) return null;
  const failures = events.filter(({ reason, message }) => reason === 'Failed' && /pull image/.test(message ?? ''));
  const tries = failures.reduce((sum, { count = 1 }) => sum + count, 0);
  return { text: firstLine(failures.at(-1)?.message ?? waiting.message ?? ''), tries };
}

function isIdle({ status }: PodObject): boolean {
  return status?.containerStatuses?.[0]?.state?.running === undefined;
}

/** A process that ends is started again in its pod: only its node gives a pod up. */
function isPutOut({ status }: PodObject): boolean {
  return status?.phase === 'Failed';
}

function isReady({ status }: PodObject): boolean {
  return status?.containerStatuses?.some(({ ready }) => ready === true) ?? false;
}

function hasRun(pod: PodObject): boolean {
  return !isIdle(pod) || lastEnd(pod) !== null;
}

/** True for the end of a process that could not be started at all. */
export function neverRan({ reason }: Termination): boolean {
  return reason === 'StartError' || reason === 'ContainerCannotRun';
}

/** How the process last ended; null for one that never did. */
export function lastEnd({ status }: PodObject): Termination | null {
  const [container] = status?.containerStatuses ?? [];
  return container?.state?.terminated ?? container?.lastState?.terminated ?? null;
}

/** One line on how the process of a pod ended; null while it runs as it was first started. */
export function explainEnd(pod: PodObject): string | null {
  const end = lastEnd(pod);
  if (end === null) return null;
  return end.reason === 'OOMKilled' ? `${outOfMemory(pod)}. ${MEMORY_REMEDY}` : `${exited(pod, end)}.`;
}

function outOfMemory(pod: PodObject): string {
  const limits = pod.spec?.containers?.[0]?.resources?.limits;
  return ranOutOfMemory(bytesOfQuantity(limits?.memory) ?? 0, restartsOf(pod));
}

/** What the cluster says of a process that it could not start. */
const MEANINGS = { 128: 'it could not be started' } as const;

function exited(pod: PodObject, { exitCode }: Termination): string {
  return endedWith(exitCode, restartsOf(pod), MEANINGS);
}

const MOST_CHARACTERS = 500;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.slice(0, MOST_CHARACTERS);
}
