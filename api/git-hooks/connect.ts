import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  CONNECTION_LIMITS,
  type ConnectedService,
  type GitConnection,
  isSameRepository,
  parseRepository,
  sealingContext,
  TOKEN_KEY,
} from '../../domain/git-hooks/connection.ts';
import { proofsOf } from '../../domain/git-hooks/delivery-proof.ts';
import type { ConnectBody, ConnectedReply, RuleBody } from '../../domain/git-hooks/git-hook-schema.ts';
import { canDeliver, checkProvider } from '../../domain/git-hooks/git-host-of.ts';
import { formatHookSecret, parseHookSecret } from '../../domain/git-hooks/hook-secret.ts';
import { type DeployRule, parsePathGlob, parsePattern } from '../../domain/git-hooks/rule.ts';
import { checkSource } from '../catalog/put-service.ts';
import { checkAgain } from '../check-again.ts';
import { type AskedBy, auditConnected, auditConnection, viewOf } from './connection-access.ts';
import type { GitHooksDeps } from './deps.ts';
import { registerHook } from './register-hook.ts';

const DEFAULT_BRANCH = 'main';

/**
 * Connects a service with the repository that it is built from: by the connection that the org has of it, or a new one.
 * @throws VALIDATION_FAILED, SOURCE_REFUSED, SOURCE_MISSING without a repository, CONFLICT for a service that is built from
 *   another one or a repository that is connected in another way, UNAVAILABLE without an encryption key
 */
export async function connect(
  deps: GitHooksDeps,
  by: AskedBy,
  { service, body }: { readonly service: ServiceRecord; readonly body: ConnectBody },
): Promise<{ reply: ConnectedReply; created: boolean }> {
  const repository = repositoryOf(deps, service, body.repository);
  const { org } = service;
  const found = await deps.gitConnections.findFor({ org, repositoryKey: repository.key });
  const pollMinutes = body.pollMinutes ?? found?.pollMinutes ?? null;
  checkProvider(repository.address, { provider: body.provider, pollMinutes });
  const rules = parseRules(body.rules ?? [{ ...BRANCH_TO_PROD, pattern: service.branch ?? DEFAULT_BRANCH }]);
  if (service.gitUrl === null) await giveRepository(deps, by, service, repository.given);
  const wanted = { service, body, repository, connected: { serviceId: service.id, service: service.name, rules } };
  const { connection, secret, created } = await checkAgain(() => joinOrInsert(deps, by, wanted));
  // One who asks again may have been told of nothing: whoever answered was killed before the hook was there.
  const mayLackHook = connection.hookId === null && connection.verifiedAt === null;
  if (created || mayLackHook) await auditConnected(deps, connection);
  const data = { service: service.name };
  if (!created) await auditConnection(deps, by, connection, { type: 'git.services_changed', data });
  const registered = created || body.token !== undefined || mayLackHook ? await registerHook(deps, connection) : null;
  if (connection.pollMinutes !== null) await deps.gitHookCommands.changed(connection.id);
  const isRegistered = registered !== null && registered.problem === null;
  const isOfUse = !isRegistered && canDeliver(connection.repository);
  return {
    reply: {
      connection: viewOf(deps, registered?.connection ?? connection),
      secret: isOfUse ? secret : null,
      hookProblem: registered?.problem ?? null,
    },
    created,
  };
}

const BRANCH_TO_PROD = { kind: 'branch', environment: 'prod', paths: [] as string[] } as const;

/** Rules as people write them. @throws VALIDATION_FAILED */
export function parseRules(rules: readonly RuleBody[]): readonly DeployRule[] {
  return rules.map(({ kind, pattern, environment, paths }, index) => ({
    kind,
    pattern: parsePattern(pattern, `rules.${index}.pattern`),
    environment,
    paths: paths.map((path, at) => parsePathGlob(path, `rules.${index}.paths.${at}`)),
  }));
}

/** The services of a connection with one put in, or in its own place. @throws VALIDATION_FAILED past the bound */
export function withService(
  services: readonly ConnectedService[],
  connected: ConnectedService,
): readonly ConnectedService[] {
  const others = services.filter(({ serviceId }) => serviceId !== connected.serviceId);
  if (others.length < CONNECTION_LIMITS.services) return [...others, connected];
  throw new FairleadError('VALIDATION_FAILED', `A connection has at most ${CONNECTION_LIMITS.services} services`);
}

/** @throws UNAVAILABLE */
export function requireCipher({ cipher }: Pick<GitHooksDeps, 'cipher'>): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError('UNAVAILABLE', 'Secrets cannot be kept: set CONFIG_ENCRYPTION_KEY on the builder');
}

interface Repository {
  /** As the service has it, or is to have it. */
  readonly given: string;
  readonly address: string;
  readonly key: string;
}

/** The repository that the service is built from; of one that has none, the one that is named. */
function repositoryOf(
  deps: Pick<GitHooksDeps, 'platformGitUrl'>,
  service: ServiceRecord,
  wanted: string | undefined,
): Repository {
  const gitUrl = wanted ?? service.gitUrl;
  if (gitUrl === null) {
    throw new FairleadError('SOURCE_MISSING', `repository: ${service.name} has no git URL yet; name its repository`);
  }
  const repository = { given: gitUrl, ...parseRepository(gitUrl, deps.platformGitUrl) };
  if (service.gitUrl === null) return repository;
  if (isSameRepository({ repositoryKey: repository.key }, service.gitUrl, deps.platformGitUrl)) return repository;
  const message = `${service.name} is built from another repository; connect that one, or change its git URL first`;
  throw new FairleadError('CONFLICT', `repository: ${message}`, { details: [{ field: 'repository', message }] });
}

/** @throws SOURCE_REFUSED */
async function giveRepository(
  deps: GitHooksDeps,
  { caller }: AskedBy,
  { id, name, org }: ServiceRecord,
  gitUrl: string,
): Promise<void> {
  checkSource(gitUrl, { deps, caller });
  await deps.services.upsert({ id, name, org }, { gitUrl });
}

interface Wanted {
  readonly service: ServiceRecord;
  readonly body: ConnectBody;
  readonly repository: Repository;
  readonly connected: ConnectedService;
}

interface Joined {
  readonly connection: GitConnection;
  /** One that was made here; null for one that is known to whoever asked. */
  readonly secret: string | null;
  readonly created: boolean;
}

async function joinOrInsert(deps: GitHooksDeps, by: AskedBy, wanted: Wanted): Promise<Joined> {
  const { service, repository } = wanted;
  const found = await deps.gitConnections.findFor({ org: service.org, repositoryKey: repository.key });
  return found === null ? await insert(deps, by, wanted) : await join(deps, found, wanted);
}

async function join(deps: GitHooksDeps, found: GitConnection, { body, connected }: Wanted): Promise<Joined> {
  if (found.provider !== body.provider) throw differs('provider', found.provider);
  if (body.secret !== undefined) throw differs('secret', 'another; `git rotate` changes it');
  // A token is sent there: nobody gives theirs to an address that somebody else chose.
  if (body.token !== undefined && body.apiUrl !== found.apiUrl) {
    throw differs('apiUrl', found.apiUrl ?? 'the API at its usual place; name no apiUrl');
  }
  const token = body.token === undefined ? {} : { token: sealToken(deps, found.id, body.token), tokenProblem: null };
  const poll = body.pollMinutes === undefined ? {} : { pollMinutes: body.pollMinutes };
  const next: GitConnection = {
    ...found,
    ...token,
    ...poll,
    services: withService(found.services, connected),
    // Branches that the new rules match are not known yet.
    baselineAt: null,
    updatedAt: deps.now(),
  };
  return { connection: await replace(deps, next, found.revision), secret: null, created: false };
}

function differs(field: string, has: string): FairleadError {
  const message = `the repository is connected already, with ${has}`;
  return new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}

/** Writes over the revision that was read. @returns it with its new revision. @throws CONFLICT (retryable) */
async function replace(
  { gitConnections }: Pick<GitHooksDeps, 'gitConnections'>,
  next: GitConnection,
  revision: number,
): Promise<GitConnection> {
  if (await gitConnections.replace(next, revision)) return { ...next, revision: revision + 1 };
  throw new FairleadError('CONFLICT', `The connection ${next.id} is being changed by others`, { retryable: true });
}

async function insert(deps: GitHooksDeps, { caller }: AskedBy, wanted: Wanted): Promise<Joined> {
  const { service, body, repository, connected } = wanted;
  const { provider, proof, apiUrl, token, pollMinutes = null } = body;
  if (!proofsOf(provider).includes(proof)) {
    throw new FairleadError(
      'VALIDATION_FAILED',
      `proof: ${provider} signs its deliveries; only gitlab has a plain token`,
    );
  }
  const id = deps.newId('gitConnection');
  const { secret, sealed } = newSecret(deps, { id, provider, proof }, body.secret);
  const at = deps.now();
  const connection: GitConnection = {
    ...{ id, org: service.org, repository: repository.address, repositoryKey: repository.key },
    ...{ provider, proof, apiUrl, services: [connected], secrets: [sealed] },
    token: token === undefined ? null : sealToken(deps, id, token),
    ...{ tokenProblem: null, hookId: null, paused: false, pollMinutes, verifiedAt: null, baselineAt: null },
    ...{ lastDeliveryAt: null, refusedDeliveries: 0, lastRefusedAt: null },
    ...{ revision: 1, createdBy: caller.name, createdAt: at, updatedAt: at },
  };
  if (await deps.gitConnections.insert(connection)) {
    return { connection, secret: body.secret === undefined ? secret : null, created: true };
  }
  throw new FairleadError('CONFLICT', 'The repository is being connected by others', { retryable: true });
}

/** A secret that was brought, or one that is made, and as it is kept. @throws VALIDATION_FAILED, UNAVAILABLE */
export function newSecret(
  deps: GitHooksDeps,
  connection: Pick<GitConnection, 'id' | 'provider' | 'proof'>,
  brought: string | undefined,
): { readonly secret: string; readonly sealed: GitConnection['secrets'][number] } {
  const cipher = requireCipher(deps);
  const secret =
    brought === undefined ? formatHookSecret(connection, deps.randomSecret()) : parseHookSecret(connection, brought);
  const secretId = deps.newId('gitSecret');
  const sealed = cipher.seal(secret, sealingContext(connection.id, secretId));
  return { secret, sealed: { id: secretId, sealed, createdAt: deps.now() } };
}

export function sealToken(deps: GitHooksDeps, connectionId: string, token: string): GitConnection['token'] {
  return requireCipher(deps).seal(token, sealingContext(connectionId, TOKEN_KEY));
}
