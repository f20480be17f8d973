import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type Connection as TemporalConnection } from '@temporalio/client';
import Docker from 'dockerode';
import { LABELS } from '../../adapters/docker/labels.ts';
import { temporalTls } from '../../adapters/temporal/tls.ts';
import { POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import { temporalCertificates } from '../../infra/dev/temporal-certificates.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  api,
  type Build,
  createService,
  dataFolder,
  ended,
  parts,
  type Repository,
  removeService,
  repositoryOf,
  uniqueName,
} from './harness.ts';

/** A service for one test, from a repository whose image builds in a moment, with all that tests change about it. */

export const docker = new Docker();

export interface AppOptions {
  /** Instructions before the last ones of the Dockerfile, such as `RUN sleep 4`. */
  readonly instructions?: string;
  /** How long after its start the app begins to listen. */
  readonly startupMs?: number;
  /** Status of every answer; the default is 200. */
  readonly status?: number;
  /** Printed when the app starts. */
  readonly says?: string;
  /** Lines below `spec` of the catalog, such as `  auth: { mode: sso }`. */
  readonly spec?: string;
  /** Name of a variable whose value is printed when the app starts. */
  readonly leaks?: string;
  /** Names of variables the app answers with, besides its commit. */
  readonly shows?: readonly string[];
  /** Org that owns it; the platform's own where none is named. */
  readonly org?: string;
  /** JavaScript of an object that is computed inside the container for each `request`, and shown as `computed`. */
  readonly computes?: string;
  /** Keys of required variables in the catalog. */
  readonly requires?: readonly string[];
}

export interface SampleService extends AsyncDisposable {
  readonly name: string;
  readonly repository: Repository;
  /** Writes the app anew and commits it. */
  readonly commit: (options?: AppOptions) => Promise<string>;
}

const DOCKERFILE = (instructions: string) => `FROM node:24-alpine
WORKDIR /app
COPY . .
${instructions}
USER 1001
EXPOSE 4000
ENV PORT=4000
CMD ["node", "server.js"]
`;

const SERVER = ({
  status = 200,
  startupMs = 0,
  says = 'starting',
  leaks = '',
  shows = [],
  computes = 'undefined',
}: AppOptions) => `
import { createServer } from 'node:http';
console.log(${JSON.stringify(says)}${leaks === '' ? '' : `, process.env.${leaks}`});
const compute = async (request) => (${computes});
const server = createServer(async (request, response) => {
  const computed = request.url === '/health' ? undefined : await compute(request).catch((error) => String(error.cause ?? error));
  response.writeHead(${status}, { 'content-type': 'application/json' });
  const shown = Object.fromEntries(${JSON.stringify(shows)}.map((name) => [name, process.env[name]]));
  response.end(JSON.stringify({ commit: process.env.GIT_COMMIT, ...shown, computed }));
});
setTimeout(() => server.listen(Number(process.env.PORT)), ${startupMs});
process.on('SIGTERM', () => server.close(() => process.exit()));
`;

const catalogText = (name: string, { requires = [], spec = '', org = 'platform' }: AppOptions) => `metadata:
  name: ${name}
  annotations:
    platform.io/catalog-version: 0.6.0
    platform.io/framework: express
    platform.io/dockerfile: Dockerfile
    platform.io/port: 4000
spec:
  owner: ${org}
${spec === '' ? '' : `${spec}\n`}${requires.length === 0 ? '' : `  config:\n${requires.map((key) => `    - key: ${key}\n      required: true\n`).join('')}`}`;

/** Creates a service of the app; what it started is cancelled and removed at the end. */
export async function sampleService(prefix: string, options: AppOptions = {}): Promise<SampleService> {
  const name = uniqueName(prefix);
  const repository = await repositoryOf('own-dockerfile-user', name);
  let version = 0;
  const commit = async (changes: AppOptions = {}) => {
    const { instructions = '' } = changes;
    version += 1;
    await writeFile(join(repository.path, 'Dockerfile'), DOCKERFILE(instructions));
    await writeFile(join(repository.path, 'server.js'), SERVER(changes));
    await writeFile(join(repository.path, 'catalog-info.yaml'), catalogText(name, changes));
    await writeFile(join(repository.path, 'version.txt'), `${name} ${version}\n`);
    return await repository.commit(`version ${version}`);
  };
  await commit(options);
  const owner = options.org === undefined ? {} : { org: options.org };
  await createService(name, { gitUrl: repository.path, branch: 'main', ...owner });
  const dispose = async () => {
    // A test that failed may have left a server of the stack restarting.
    await waitUntil(`the removal of ${name}`, () => remove(name).catch(() => false), { withinMs: 30_000 });
    await repository[Symbol.asyncDispose]();
  };
  return { name, repository, commit, [Symbol.asyncDispose]: dispose };
}

async function remove(service: string): Promise<boolean> {
  for (const { id } of (await buildsOf(service)).filter(({ finishedAt }) => finishedAt === null)) {
    await api('POST', `/builds/${id}/cancel`);
    await ended(id, 30_000);
  }
  await removeService(service);
  return (await api('GET', `/services/${service}`)).status === 404;
}

/** All builds of a service, newest first. */
export async function buildsOf(service: string): Promise<Build[]> {
  return (await api<{ items: Build[] }>('GET', `/builds?service=${service}&limit=200`)).data.items;
}

/** The state of a step of a build. */
export const stateOf = (build: Build, key: string) => build.steps.find((step) => step.key === key)?.state;

/** Containers that were made for a build, running or not. */
export async function containersOf(buildId: string) {
  return await docker.listContainers({ all: true, filters: { label: [`${LABELS.build}=${buildId}`] } });
}

/** CPU limits of a workload of the tier `nano`, in 1e-9 CPUs: until it is ready, and afterwards. */
export const NANO_CPUS = {
  startup: Math.min(1, availableParallelism()) * 1e9,
  nano: POD_TIERS.nano.cpuLimitMillis * 1e6,
} as const;

/** The CPU limit of the one container of a build, in 1e-9 CPUs; null while there is none that runs. */
export async function nanoCpusOf(buildId: string): Promise<number | null> {
  const [container] = await containersOf(buildId);
  if (container?.State !== 'running') return null;
  return (await docker.getContainer(container.Id).inspect()).HostConfig.NanoCpus ?? null;
}

/** A client of the stack's Temporal; closed at the end. */
export async function temporalClient(): Promise<{ client: Client; connection: TemporalConnection } & AsyncDisposable> {
  const address = (await parts()).temporal?.address;
  const tls = temporalTls(temporalCertificates(dataFolder()).client);
  const connection = await Connection.connect(address === undefined ? {} : { address, tls });
  return { client: new Client({ connection }), connection, [Symbol.asyncDispose]: () => connection.close() };
}
