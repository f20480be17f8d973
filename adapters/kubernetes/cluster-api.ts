import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import { FIELD_MANAGER } from './names.ts';
import { isResourceKind, type ResourceKind, resourcePath } from './resources.ts';

/** Which object, in which namespace; null for one that is in none. */
export interface ObjectPlace {
  readonly kind: ResourceKind;
  readonly namespace: string | null;
  readonly name: string;
}

export interface ListPlace {
  readonly kind: ResourceKind;
  /** Null for those of all namespaces. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
}

export interface ClusterApi {
  /** What watches and programs in containers are opened with. @throws what the reading of the kubeconfig does */
  config(): Promise<KubeConfig>;
  /** Null where there is none. */
  get<T>(place: ObjectPlace): Promise<T | null>;
  list<T>(place: ListPlace): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }>;
  /** Server-side apply under our name: our fields become what is given, and those of others stay. */
  apply<T>(object: KubernetesObject): Promise<T>;
  /** A merge of some fields into an object, or into a part of it such as `scale`. */
  merge(place: ObjectPlace, part: string | null, fields: object): Promise<void>;
  /** No error when it is gone. What belongs to it is removed behind it. */
  remove(place: ObjectPlace, graceSeconds?: number): Promise<void>;
  /** The answer of any other path, as it comes. @throws ClusterRefusal for one without success */
  open(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage>;
}

/** The API server refused a call. */
export class ClusterRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TIMEOUT_MS = 30_000;
/** How long one reading of the kubeconfig is used: credentials expire, and are renewed in it. */
const CONFIG_MS = 60_000;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

interface Call {
  readonly method: 'GET' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * The API server of the current context of a kubeconfig, which is read at the first call, and anew every minute and after an
 * answer that its credentials have expired.
 */
export function createClusterApi(readConfig: () => Promise<KubeConfig>): ClusterApi {
  const { access, forget } = createAccess(readConfig);
  const send = async (call: Call): Promise<IncomingMessage> => {
    try {
      return await sendTo(await access(), call);
    } catch (error) {
      if (error instanceof ClusterRefusal && error.status === 401) forget();
      throw error;
    }
  };
  const json = async <T>(call: Call): Promise<T> => {
    const answer = await send({ signal: AbortSignal.timeout(TIMEOUT_MS), ...call });
    return JSON.parse(await text(answer)) as T;
  };
  return {
    config: async () => (await access()).config,
    get: ({ kind, namespace, name }) => orNull(json({ method: 'GET', path: resourcePath(kind, namespace, name) })),
    async list<T>({ kind, namespace, labelSelector }: ListPlace) {
      const query = labelSelector === undefined ? {} : { labelSelector };
      const answer = await json<{ items: readonly T[]; metadata: { resourceVersion: string } }>({
        ...{ method: 'GET', path: resourcePath(kind, namespace), query },
      });
      return { items: answer.items, resourceVersion: answer.metadata.resourceVersion };
    },
    apply: (object) => {
      const { kind = '', metadata } = object;
      if (!isResourceKind(kind)) throw new Error(`no objects of the kind ${kind} are applied`);
      const path = resourcePath(kind, metadata?.namespace ?? null, metadata?.name ?? '');
      // What somebody else has changed of our fields is put right: the plan of a deploy says what they are.
      const query = { fieldManager: FIELD_MANAGER, force: 'true' };
      return json({ method: 'PATCH', path, query, type: APPLY, body: object });
    },
    merge: async ({ kind, namespace, name }, part, fields) => {
      const path = `${resourcePath(kind, namespace, name)}${part === null ? '' : `/${part}`}`;
      await json({ method: 'PATCH', path, query: { fieldManager: FIELD_MANAGER }, type: MERGE, body: fields });
    },
    remove: async ({ kind, namespace, name }, graceSeconds) => {
      const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', ...grace };
      const path = resourcePath(kind, namespace, name);
      await orNull(json({ method: 'DELETE', path, type: 'application/json', body }));
    },
    open: (path, query, signal) => send({ method: 'GET', path, query, signal }),
  };
}

interface Access {
  readonly config: KubeConfig;
  readonly credentials: RequestOptions;
}

function createAccess(readConfig: () => Promise<KubeConfig>) {
  let last: { readonly at: number; readonly access: Promise<Access> } | null = null;
  const read = async (): Promise<Access> => {
    const config = await readConfig();
    const credentials: RequestOptions = {};
    await config.applyToHTTPSOptions(credentials);
    return { config, credentials };
  };
  const forget = (): void => {
    last = null;
  };
  const access = (): Promise<Access> => {
    if (last !== null && performance.now() - last.at < CONFIG_MS) return last.access;
    last = { at: performance.now(), access: read() };
    last.access.catch(forget);
    return last.access;
  };
  return { access, forget };
}

/** @throws ClusterRefusal for an answer without success; the error of the connection; the abort reason */
async function sendTo({ config, credentials }: Access, call: Call): Promise<IncomingMessage> {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined)
    throw new FairleadError('UNAVAILABLE', 'KUBECONFIG names no cluster in its current context');
  const { method, path, query = {}, type, body, signal } = call;
  const url = new URL(`${server.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    ...{ ...credentials.headers, accept: 'application/json' },
    ...(type && { 'content-type': type }),
    // Node frames no body of a DELETE by itself.
    'content-length': Buffer.byteLength(sent),
  };
  request(url, { ...credentials, method, headers, ...(signal && { signal }) }, resolve)
    .once('error', reject)
    .end(sent);
  const answer = await promise;
  const { statusCode: status = 0 } = answer;
  if (status >= 200 && status < 300) return answer;
  throw new ClusterRefusal(status, messageOf(await text(answer)));
}

/** The API server's own words. */
function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? body;
  } catch {
    return body.slice(0, 500).trim();
  }
}

async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClusterRefusal && error.status === 404) return null;
    throw error;
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'the cluster does not accept the credentials of KUBECONFIG: renew them',
  403: 'the user of KUBECONFIG may not do that: see the list of permissions in docs/kubernetes.md',
};

/**
 * Turns an error of a call into the domain's: UNAVAILABLE (retryable) where the cluster does not answer or is busy, else `code`
 * with the API server's words.
 */
export function clusterError(error: unknown, doing: string, code: ErrorCode = 'UNAVAILABLE'): FairleadError {
  if (error instanceof FairleadError) return error;
  if (!(error instanceof ClusterRefusal)) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `${doing}: the cluster cannot be reached (${why}): check the address in KUBECONFIG and its network`;
    return new FairleadError('UNAVAILABLE', message, { retryable: true, cause: error });
  }
  const { status, message } = error;
  const remedy = status === 403 && !isForbiddenByRights(error) ? undefined : REFUSALS[status];
  const isPassing = status === 409 || status === 429 || status >= 500 || isEnding(error);
  const said = `${doing}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new FairleadError(isPassing ? 'UNAVAILABLE' : code, said, { retryable: isPassing, cause: error });
}

/** Admission answers 403 as well, and says something else. */
function isForbiddenByRights({ status, message }: ClusterRefusal): boolean {
  return status === 403 && /cannot \w+ resource/.test(message);
}

/** The namespace is on its way out: a later attempt makes it anew. */
function isEnding({ status, message }: ClusterRefusal): boolean {
  return status === 403 && /being terminated/.test(message);
}
