import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { ContainerCreateOptions } from 'dockerode';
import { z } from 'zod';
import type { TestDeclaration } from '../../../domain/catalog/catalog.ts';
import type { EffectContext } from '../../../domain/deploys/effect-context.ts';
import {
  MOST_MESSAGE_CHARACTERS,
  RUN_SECONDS,
  TEST_SECONDS,
  type TestedRelease,
  type TestResult,
  type TestRunner,
} from '../../../domain/deploys/gated-tests.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { engineError, engineMessage } from '../docker-client.ts';
import { inspectContainer } from '../inspect-container.ts';
import { imageLabels, LABELS, labelFilter } from '../labels.ts';
import { decodeLogFrames } from '../log-frames.ts';
import { removeContainer } from '../remove-container.ts';
import { containerName } from '../workload-names.ts';
import { openServiceSocket, type ServiceSocket } from './service-socket.ts';

export interface ContainerTestRunnerOptions {
  readonly docker: Docker;
  readonly stackId: string;
  /** Makes sure of an image with node. @returns its name */
  readonly image: (context: EffectContext) => Promise<string>;
  /** Longest time of one test, and of all tests of a run; default as the port says. */
  readonly seconds?: number;
  readonly allSeconds?: number;
  /** From which age on an ended container is one that a killed worker left; 10 minutes by default. */
  readonly leftoverMs?: number;
}

const PROGRAM = join(import.meta.dirname, 'test-program.mjs');
const TASK = 'tests';
const MOUNT = '/run/fairlead';
const MEMORY_BYTES = 96 * 1024 ** 2;
const USER = '1001:1001';
const START_SECONDS = 20;

const resultsSchema = z.array(z.object({ passed: z.boolean(), message: z.string().max(MOST_MESSAGE_CHARACTERS) }));

/**
 * Runs tests in a container of the engine beside the service: without a network, secrets and capabilities, with a
 * read-only root, and bounded time, memory, processes and output. Its one way out is a socket to the workload. A run
 * whose worker was killed ends by itself; the next attempt, or else a later run, removes what it left.
 */
export function createContainerTestRunner(options: ContainerTestRunnerOptions): TestRunner {
  const { docker, seconds = TEST_SECONDS, allSeconds = RUN_SECONDS } = options;
  return {
    async run(release, tests, context) {
      context.signal.throwIfAborted();
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout((allSeconds + START_SECONDS) * 1_000)]);
      try {
        await removeLeftOver(options, context);
        const image = await options.image({ ...context, signal });
        await using socket = await openServiceSocket(release.workload.address);
        const limits = { seconds, allSeconds };
        const create = await testContainer(release, tests, { stackId: options.stackId, image, socket, limits });
        return readResults(await outputOf(docker, create, signal), tests.length);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof FairleadError) throw error;
        const doing = signal.aborted ? 'The tests did not end in time' : 'Running the tests';
        throw engineError(error, doing, 'UNAVAILABLE', { retryable: true });
      }
    },
  };
}

async function testContainer(
  { workload, url }: TestedRelease,
  tests: readonly TestDeclaration[],
  given: {
    readonly stackId: string;
    readonly image: string;
    readonly socket: ServiceSocket;
    readonly limits: { readonly seconds: number; readonly allSeconds: number };
  },
): Promise<ContainerCreateOptions> {
  const { stackId, image, socket, limits } = given;
  const run = { socket: join(MOUNT, socket.name), host: new URL(url).host, tests, ...limits };
  return {
    name: `${containerName(stackId, workload)}-tests`,
    Image: image,
    User: USER,
    Entrypoint: ['node', '--max-old-space-size=48', '--input-type=module', '-e', await readFile(PROGRAM, 'utf8')],
    Cmd: [],
    Env: [`RUN=${JSON.stringify(run)}`],
    Labels: { ...imageLabels(stackId, workload), [LABELS.task]: TASK },
    HostConfig: {
      NetworkMode: 'none',
      Binds: [`${socket.folder}:${MOUNT}:ro`],
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      NanoCpus: 5e8,
      PidsLimit: 32,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: true,
      Init: true,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}

/** Ended, or killed with its worker before they began. */
const LEFT_STATES = ['created', 'exited', 'dead'];

/** Of workers that were killed, and builds that were not tried again. One that stays is no fault of this run. */
async function removeLeftOver(
  { docker, stackId, leftoverMs = 600_000 }: ContainerTestRunnerOptions,
  { onLine }: EffectContext,
): Promise<void> {
  const filters = { ...labelFilter(stackId, { [LABELS.task]: TASK }), status: LEFT_STATES };
  const before = Date.now() / 1_000 - leftoverMs / 1_000;
  const left = await docker.listContainers({ all: true, filters });
  for (const { Id: id, Created } of left) {
    if (Created > before) continue;
    try {
      await removeContainer(docker, id, 0);
    } catch (error) {
      onLine(`The container ${id.slice(0, 12)} of an earlier run of tests stays: ${engineMessage(error)}`, 'warn');
    }
  }
}

/** Runs a container to its end and removes it. @returns what it printed */
async function outputOf(docker: Docker, create: ContainerCreateOptions, signal: AbortSignal): Promise<string> {
  const left = await inspectContainer(docker, create.name ?? '');
  if (left !== null) await removeContainer(docker, left.Id, 0);
  const container = await docker.createContainer(create);
  try {
    await container.start();
    const { StatusCode } = await container.wait({ abortSignal: signal });
    if (StatusCode !== 0) throw noResult(`it ended with ${StatusCode}`);
    return decodeLogFrames(await container.logs({ stdout: true, stderr: false, follow: false, tail: 1 }));
  } finally {
    await removeContainer(docker, container.id, 0);
  }
}

function readResults(output: string, count: number): readonly TestResult[] {
  const results = resultsSchema.safeParse(parseJson(output));
  if (results.success && results.data.length === count) return results.data;
  throw noResult('its output is none');
}

function noResult(why: string): FairleadError {
  return new FairleadError('UNAVAILABLE', `The container of the tests has no result: ${why}.`, { retryable: true });
}
